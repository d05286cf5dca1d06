"""Writes a module with every inline asm of CUDA's headers that reads or writes memory, each in a function of its own.

Usage: header_ptx.py CUDA_TOOLKIT

Reads the headers as text, so that templates without instances are included. Leaves out tensor copies and byte masks,
whose accesses only the hardware can compute."""
import os
import re
import sys

STRING = r'"((?:[^"\\]|\\.)*)"'
ASM = re.compile(r'\basm\s*(?:volatile|__volatile__)?\s*\(((?:\s*%s)+)([^;]*?)\)\s*(?:;|,\s*\()' % STRING, re.S)
ACCESS = re.compile(r"\b(ld|ldu|st|atom|red|cp|wmma)\b[.:]")
TYPES = {"r": "i32", "n": "i32", "l": "i64", "h": "i16", "f": "float", "d": "double", "q": "i128"}


def texts(root):
    """Returns {asm text: its operands as in the source}."""
    found = {}
    for folder, _, names in sorted(os.walk(root, followlinks=True)):
        for name in sorted(names):
            if name.endswith((".h", ".hpp", ".cuh", ".inl")):
                with open(os.path.join(folder, name), errors="replace") as file:
                    for match in ASM.finditer(file.read()):
                        found.setdefault("".join(re.findall(STRING, match[1])), match[3])
    return found


def constraints(operands):
    """Returns the letters of the outputs' and the inputs' constraints. A macro instead of a constraint is a
    pointer's."""
    operands = re.sub(r"\b_\w*(?:PTR|CONSTRAINT)\w*\s*\(", '"l"(', operands)
    sections = re.split(r"(?<!:):(?!:)", re.sub(r"::(?=\s)", ": :", operands)) + ["", "", ""]
    letters = [re.findall(r'"[=+&]*([a-z])"\s*\(', section) for section in sections]
    return letters[1], letters[2]


def escape(text):
    text = text.replace("\\n", "\n").replace("\\t", "\t").replace("$", "$$")
    text = re.sub(r"%(\d)", r"$\1", text).replace("%%", "%")
    return "".join(c if " " <= c <= "~" and c not in '"\\' else "\\%02X" % ord(c) for c in text if ord(c) < 128)


def function(number, text, outputs, inputs):
    result = [TYPES[letter] for letter in outputs]
    result = "void" if not result else result[0] if len(result) == 1 else "{ %s }" % ", ".join(result)
    parameters = ["%s %%p%d" % (TYPES[letter], i) for i, letter in enumerate(inputs) if letter != "n"]
    arguments = ["i32 16" if letter == "n" else "%s %%p%d" % (TYPES[letter], i) for i, letter in enumerate(inputs)]
    return 'define void @f%d(%s) "gasan-sanitize" {\n  call %s asm sideeffect "%s", "%s"(%s)\n  ret void\n}' % (
        number, ", ".join(parameters), result, escape(text),
        ",".join(["=" + letter for letter in outputs] + inputs), ", ".join(arguments))


def main():
    print('target triple = "nvptx64-nvidia-cuda"')
    print('target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"')
    for number, (text, operands) in enumerate(texts(os.path.join(sys.argv[1], "include")).items()):
        outputs, inputs = constraints(operands)
        computable = ".tensor" not in text and "cp_mask" not in text
        if ACCESS.search(text) and computable and TYPES.keys() >= {*outputs, *inputs}:
            print(function(number, text, outputs, inputs))


main()
