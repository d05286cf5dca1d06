"""Compares the output of a generated kernel with its expected verdict.

The expected verdict is a dictionary, which manifests and recorded cases contain, with these keys:

  kind            the report's kind, or "silent": the kernel must print nothing; then there are no other keys
  access, line    of the access in the source
  size            of the access in the source
  part            the smallest size of the parts into which the optimiser may split the access
  threads         the number of threads that fault
  side, distance  after, before or inside, and the distance of the first bad byte; None if the report has neither
  loose           only if several accesses may be checked together: the largest distance in bytes between the reported
                  access and the first bad one; their sizes may differ
"""
import re

ERROR = re.compile(r"ERROR: AddressSanitizer: (\S+) on ")
ACCESS = re.compile(r"^(READ|WRITE) of size (\d+) at (?:.*? by device thread (.*?) lane)?.*?"
                    r"(?: \(and (\d+) more threads? of this kernel\))?$", re.MULTILINE)
FRAME = re.compile(r"^ +#\d+ .*/([^/]+?:\d+)(?::\d+)?$", re.MULTILINE)
DISTANCE = re.compile(r"is located (\d+) bytes (after|before|inside of) ")
SILENT = {"kind": "silent"}


def read(output, source):
    """Returns the first report in the output, with the same keys and `thread`; None if there is none."""
    error, access = ERROR.search(output), ACCESS.search(output)
    if not error or not access:
        return None
    frames = FRAME.findall(output[access.end():].split("launched here by")[0])
    place = next((frame for frame in frames if frame.startswith(source)), None)  # an atomic's first frame is a header's
    where = DISTANCE.search(output)
    return {"kind": error.group(1), "access": access.group(1), "size": int(access.group(2)), "thread": access.group(3),
            "threads": 1 + int(access.group(4) or 0), "line": int(place.split(":")[1]) if place else None,
            "distance": int(where.group(1)) if where else None, "side": where.group(2).split()[0] if where else None}


def judge(expected, output, source):
    """Returns how a kernel's output differs from the expected verdict, or None."""
    if output is None:
        return "was not run"
    if expected["kind"] == "silent":
        if not output:
            return None
        return "should be silent: " + (output.strip().split("\n") + [""])[min(1, output.count("\n"))]
    found = read(output, source)
    if not found:
        return "%s was not reported: %s" % (expected["kind"], output.strip()[:200])
    loose = expected.get("loose")
    if loose is not None:  # each of the accesses may have a report of its own
        found["threads"] = sum(1 + int(access[3] or 0) for access in ACCESS.findall(output))
    items = [("kind", found["kind"] == expected["kind"]),
             ("access", found["access"] == expected["access"]),
             ("size", loose is not None or expected["part"] <= found["size"] <= expected["size"]),
             ("line", found["line"] in (None, expected["line"])),
             ("threads", found["threads"] == expected["threads"])]
    if expected["distance"] is not None:
        slack = max(0, expected["size"] - found["size"])
        early, late = (0, slack) if loose is None else (loose, loose)
        beyond = position(found) - position(expected)
        items.append(("side", loose is not None or found["side"] == expected["side"]))
        items.append(("distance", found["distance"] is not None and -early <= beyond <= late))
    return "; ".join("wrong %s %s" % (what, found[what]) for what, right in items if not right) or None


def position(verdict):
    """Returns the signed distance: smaller for smaller addresses."""
    return (verdict["distance"] or 0) * (-1 if verdict["side"] == "before" else 1)


def differences(left, right, loose):
    """Returns how two builds' reports of one kernel differ, or None."""
    if left is None or right is None:
        return None if left is right else "only one of them reports"
    keys = ("kind", "access", "line", "thread", "threads") + (() if loose else ("size", "side", "distance"))
    return "; ".join("%s %s and %s" % (key, left[key], right[key]) for key in keys if left[key] != right[key]) or None
