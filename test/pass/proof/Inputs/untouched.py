"""Compares the PTX of proven variants, in the second file, with the PTX of the plain kernels in the first one. Prints
the kernels in the order of the first file, and what differs."""
import difflib
import re
import sys


def kernels(path):
    """Returns {name: lines}, without comments, source lines, numbers of labels and declarations of variables."""
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"//.*", "", file.read())
    text = re.sub(r"\$L__BB\d+_", "$L__BB_", text)
    left_out = re.compile(r"\s*(\.loc|\.shared|\$L__(tmp|func_begin|func_end)|$)")
    return {name: [" ".join(line.split()) for line in body.replace("__gasan_proven_", "").splitlines()
                   if not left_out.match(line)]
            for name, body in re.findall(r"\.entry (\w+)\(.*?\{(.*?)\n\}", text, re.DOTALL)}


plain, checked = kernels(sys.argv[1]), kernels(sys.argv[2])
for name, lines in plain.items():
    proven = checked.get("__gasan_proven_" + name, ["no variant"])
    print(name, "is untouched" if proven == lines else "differs")
    print("\n".join(difflib.unified_diff(lines, proven, "plain", "proven", lineterm="", n=1)))
