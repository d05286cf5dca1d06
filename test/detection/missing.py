"""missing.txt: the bugs that are known not to be detected, one a line: DEVICE CASE LEVELS, as `cuda local/array-far-read 0,2`.

It can only shrink: a case that is not listed must be detected, and a listed one must not."""
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
        """None, or how a result is not what is known."""
        if result["twin"]:
            bad = result["outcome"] != "silent"
            return "%s -O%s: its correct twin: %s: %s" % (describe(result) + (first_line(result["why"]),)) if bad else None
        listed = result["level"] in self.lines.get((self.device, result["case"]), ())
        if result["outcome"] != "detected" and not listed:
            return "%s -O%s: %s: %s" % (describe(result) + (first_line(result["why"]),))
        if result["outcome"] == "detected" and listed:
            return "%s -O%s is %s, but listed in missing.txt (run.py --update-missing)" % describe(result)
        return None

    def write(self, results):
        """Replaces what the file says of the cases and levels that were run."""
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
