# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The variants of the programs of programs/: how bench/build.py compiles them, and how bench/run.py runs them."""
import collections

SANITIZE = "-fsanitize=gpu-address"
OPTION = "-fsanitize-gpu-address-"
PLAIN = "plain"
# These words stand before the names of a kernel's variants for launches that are proven, or proven in part.
PROVEN = "proven "
PROVEN_IN_PART = "in part "

# what: the description in the tables. binary: the variant whose executable this one runs; None: its own. options:
# GASAN_OPTIONS. tool: run under compute-sanitizer's memcheck. counts: count checks instead of measuring time.
Variant = collections.namedtuple("Variant", "what flags binary options tool counts", defaults=(None, "", False, False))


def shadow(granule):
    return [SANITIZE, OPTION + "mode=shadow", OPTION + "granule=%d" % granule]


BST = [SANITIZE, OPTION + "mode=bst"]

# Optimisations of mode=bst for which the driver may have an option, and the change without them. Each becomes a
# variant with this one off. An optimisation that is off by default becomes a variant with this one on.
LEVERS = {
    "group-checks": "accesses at constant distances are not checked together",
    "static-proof": "checks that the compiler can prove stay",
    "launch-proof": "no launch is proven",
    "hidden-arguments": "kernels look up the bounds of their arguments",
    "partial-proof": "a launch with a claim that does not hold makes all checks",
    "hoist-checks": "checks stay in loops though nothing in them changes",
    "loop-checks": "counted loops are not checked once for all rounds",
    "dominated-checks": "checks that a check before them covers stay",
    "narrow-offsets": "offsets have 64 bits",
    "linked-runtime": "functions of the device runtime are part of each kernel",
    "index-checks": "elements are checked by their addresses",
    "batch-checks": "each check has its own branch",
    "callee-lookups": "bounds of loaded pointers go with them into functions",
    "merged-lookups": "pointers are looked up where they are loaded, not where they come together",
    "lookup-checks": "bounds that are looked up are kept, for the report",
    "inline-reports": "kernels with local arrays or loops over atomics call to report",
    "late-uploads": "a launch waits until all that has changed is uploaded, though it looks nothing up",
}

FIXED = {
    PLAIN: Variant("the same clang and the same flags without the sanitizer", []),
    "bst": Variant("mode=bst", BST),
    "shadow128": Variant("mode=shadow, 128 bytes a shadow byte", shadow(128)),
    "shadow256": Variant("mode=shadow, 256 bytes a shadow byte", shadow(256)),
    "shadow8": Variant("mode=shadow, 8 bytes a shadow byte", shadow(8)),
    "tags": Variant("mode=bst with tagged pointers", BST + [OPTION + "tags=on"]),
    "counted": Variant("mode=bst, counting checks and accesses", BST + [OPTION + "count-checks=on"],
                       options="print_stats=1", counts=True),
    "memcheck": Variant("plain, under compute-sanitizer's memcheck", [], binary=PLAIN, tool=True),
    "ptxas": Variant("plain, instrumented by ptxas -sanitize=memcheck, under compute-sanitizer's memcheck",
                     ["-Xcuda-ptxas", "-sanitize=memcheck"], tool=True),
}


def table(defaults):
    """Returns {name: Variant} for a driver whose options have these defaults."""
    on = [lever for lever in LEVERS if defaults.get(lever) == "on"]
    off = [lever for lever in LEVERS if defaults.get(lever) == "off"]
    variants = dict(FIXED)
    for lever in on:
        variants["no-" + lever] = Variant(LEVERS[lever], BST + [OPTION + lever + "=off"])
    for lever in off:
        variants["with-" + lever] = Variant("without it " + LEVERS[lever], BST + [OPTION + lever + "=on"])
    if len(on) > 1:
        variants["no-levers"] = Variant("all of these", BST + [OPTION + lever + "=off" for lever in on])
    return variants


# Names that --variants takes besides those of variants.
SETS = {
    "default": (PLAIN, "bst", "shadow128", "shadow256", "shadow8", "tags"),
    "levers": (PLAIN, "bst", "no-*", "with-*", "counted"),
    "memcheck": (PLAIN, "memcheck", "ptxas"),
    "all": ("*",),
}
