"""Reads and writes missing.txt, the list of bugs that gasan does not detect yet. A line is DEVICE CASE LEVELS, for
example `cuda local/array-far-read 0,2`.

The list only shrinks: the suite fails if a case that is not listed is missed, and also if a listed case is detected."""
import collections
import os

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "missing.txt")
HEAD = "# Not detected yet, on which device and at which -O levels: run.py --update-missing\n"


class Known:
    def __init__(self, device):
        self.device = device
        self.lines = collections.OrderedDict()  # (device, case) -> levels
        if os.path.exists(PATH):
            with open(PATH, encoding="utf-8") as file:
                for line in file:
                    if not line.startswith("#"):
                        name, case, levels = line.split()
                        self.lines[name, case] = levels.split(",")

    def complaint(self, result):
        """Returns how a result differs from the list, or None."""
        if result["twin"]:
            if result["outcome"] == "silent":
                return None
            return "%s -O%s: its correct twin: %s: %s" % (describe(result) + (first_line(result["why"]),))
        listed = result["level"] in self.lines.get((self.device, result["case"]), ())
        if result["outcome"] != "detected" and not listed:
            return "%s -O%s: %s: %s" % (describe(result) + (first_line(result["why"]),))
        if result["outcome"] == "detected" and listed:
            return "%s -O%s is %s, but listed in missing.txt (run.py --update-missing)" % describe(result)
        return None

    def write(self, results):
        """Rewrites the file with these results. Keeps the entries of other cases and levels."""
        for result in results:
            if not result["twin"]:
                levels = self.lines.setdefault((self.device, result["case"]), [])
                if result["level"] in levels:
                    levels.remove(result["level"])
                if result["outcome"] != "detected":
                    levels.append(result["level"])
        with open(PATH, "w", encoding="utf-8") as file:
            file.write(HEAD)
            for (device, case), levels in self.lines.items():
                if levels:
                    file.write("%s %s %s\n" % (device, case, ",".join(sorted(levels))))


def describe(result):
    return result["case"], result["level"], result["outcome"]


def first_line(text):
    return text.split("\n")[0]
