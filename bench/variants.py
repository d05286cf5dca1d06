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
# GASAN_OPTIONS. tool: run under compute-sanitizer's memcheck. counts: count checks instead of measuring time. base: the
# variant from which this one differs in one saving; None: no such one. guarded: run under `gasan run`.
Variant = collections.namedtuple("Variant", "what flags binary options tool counts base guarded",
                                 defaults=(None, "", False, False, None, False))


def shadow(granule):
    return [SANITIZE, OPTION + "mode=shadow", OPTION + "granule=%d" % granule]


BST = [SANITIZE, OPTION + "mode=bst"]

UNPROVEN = BST + [OPTION + "launch-proof=off"]

FIXED = {
    PLAIN: Variant("the same clang and the same flags without the sanitizer", []),
    "bst": Variant("mode=bst", BST),
    "shadow128": Variant("mode=shadow, 128 bytes a shadow byte", shadow(128)),
    "shadow256": Variant("mode=shadow, 256 bytes a shadow byte", shadow(256)),
    "shadow8": Variant("mode=shadow, 8 bytes a shadow byte", shadow(8)),
    "unproven": Variant("mode=bst without launch proof", UNPROVEN, base="bst"),
    "tags": Variant("mode=bst with tagged pointers", BST + [OPTION + "tags=on"]),
    "counted": Variant("mode=bst, counting checks and accesses", BST + [OPTION + "count-checks=on"],
                       options="print_stats=1", counts=True),
    "guarded": Variant("plain, under `gasan run`", [], binary=PLAIN, guarded=True),
    "guarded-free": Variant("plain, under `gasan run` with canary=free", [], binary=PLAIN, options="canary=free",
                            guarded=True),
    "guarded-guard": Variant("plain, under `gasan run` with canary=guard", [], binary=PLAIN, options="canary=guard",
                             guarded=True),
    "memcheck": Variant("plain, under compute-sanitizer's memcheck", [], binary=PLAIN, tool=True),
    "ptxas": Variant("plain, instrumented by ptxas -sanitize=memcheck, under compute-sanitizer's memcheck",
                     ["-Xcuda-ptxas", "-sanitize=memcheck"], tool=True),
}


def without(saving):
    return ["-mllvm", "-gasan-%s=false" % saving]


def table(savings):
    """Returns {name: Variant}. `savings`: {name: description} of the savings of mode=bst. Each has a variant without
    it, and one without it and without launch proof."""
    variants = dict(FIXED)
    for name, description in savings.items():
        variants["no-" + name] = Variant("not: " + description, BST + without(name), base="bst")
        variants["unproven-no-" + name] = Variant("no launch proof, and not: " + description,
                                                  UNPROVEN + without(name), base="unproven")
    everything = [flag for name in savings for flag in without(name)]
    variants["unproven-no-savings"] = Variant("no launch proof, and none of these", UNPROVEN + everything,
                                              base="unproven")
    return variants


# Names that --variants takes besides those of variants.
SETS = {
    "default": (PLAIN, "bst", "shadow128", "shadow256", "shadow8", "tags"),
    "savings": (PLAIN, "bst", "unproven", "no-*", "counted"),
    "unproven": (PLAIN, "unproven", "unproven-no-*"),
    "memcheck": (PLAIN, "guarded", "memcheck", "ptxas"),
    "all": ("*",),
}
