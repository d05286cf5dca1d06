#!/usr/bin/env python3
"""Checks the files of report_format=json and sarif, and the pages of `gasan report --format html`.

  report_files.py [--count N] FILE...     each file is valid: JSON by docs/gasan-report-1.schema.json, SARIF by its
                                          own schema (sarif_check.py), HTML by the parser for XML; N: there are N
                                          reports in each
  report_files.py --mutate FILE.sarif     the file is valid, and SARIF's schema refuses each of its mutations
  report_files.py --chromium FILE         draws the page by headless Chromium, if the machine has it
  report_files.py --print KEYS FILE       prints values: report_files.py --print reports.0.stacks.1.role FILE
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from sarif_check import check, check_mutations, check_sarif  # noqa: E402

DOCS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs")


def check_json(document):
    import jsonschema
    with open(os.path.join(DOCS, "gasan-report-1.schema.json"), encoding="utf-8") as file:
        schema = json.load(file)
    for part in schema["$defs"].values():  # a member that no one has described
        if part["type"] == "object":
            part["additionalProperties"] = False
            for member in part["properties"].values():
                if member.get("type") == "object":
                    member["additionalProperties"] = False
    schema["additionalProperties"] = False
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(document)
    for report in document["reports"]:
        check(all(index < len(document["processes"]) for index in report["processes"]), "an unknown process")
    return len(document["reports"])


def check_html(path):
    """The page is XML, its links lead to its own parts, and it names no other file."""
    root = xml.etree.ElementTree.parse(path).getroot()
    names = {element.get("id") for element in root.iter()}
    for element in root.iter():
        check(element.tag.rsplit("}", 1)[-1] not in ("script", "img", "link", "iframe"), "another file: " + element.tag)
        link = element.get("href")
        check(link is None or link[0] == "#" and link[1:] in names, "a link to nowhere: %s" % link)
        for name in ("x", "y", "width", "height"):
            check(float(element.get(name, "0")) >= 0, "a part outside of its picture")
    return sum(element.tag.endswith("}article") for element in root.iter())


def pixels(path):
    """Returns the rows of a PNG image with 8 bits of red, green and blue (and alpha) as lists of bytes."""
    with open(path, "rb") as file:
        data = file.read()
    at, packed = 8, b""
    while at < len(data):
        size, kind = int.from_bytes(data[at:at + 4], "big"), data[at + 4:at + 8]
        if kind == b"IHDR":
            width, channels = int.from_bytes(data[at + 8:at + 12], "big"), {2: 3, 6: 4}[data[at + 17]]
        elif kind == b"IDAT":
            packed += data[at + 8:at + 8 + size]
        at += size + 12
    raw, stride, rows = zlib.decompress(packed), width * channels, []
    for begin in range(0, len(raw), stride + 1):
        row, above = bytearray(raw[begin + 1:begin + 1 + stride]), rows[-1] if rows else bytearray(stride)
        for i in range(stride):
            left, up = row[i - channels] if i >= channels else 0, above[i]
            corner = above[i - channels] if i >= channels else 0
            guess = left + up - corner
            nearest = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))[2]
            row[i] = row[i] + (0, left, up, (left + up) // 2, nearest)[raw[begin]] & 255
        rows.append(row)
    return rows, channels


def draw(path):
    """Draws the page. The DOM has all reports, and the picture has the colour that marks the access."""
    chromium = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium"))), None)
    if not chromium:
        return "drawn: there is no Chromium"
    with tempfile.TemporaryDirectory() as folder:
        command = [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=" + folder,
                   "--host-resolver-rules=MAP * ~NOTFOUND", "--window-size=900,900"]
        page, image = "file://" + os.path.abspath(path), os.path.join(folder, "page.png")
        dom = subprocess.run(command + ["--dump-dom", page], capture_output=True, timeout=120, check=True).stdout
        subprocess.run(command + ["--screenshot=" + image, page], capture_output=True, timeout=120, check=True)
        rows, channels = pixels(image)
    marks = sum(row[i:i + 3] == b"\xb3\x26\x1e" for row in rows for i in range(0, len(row), channels))
    check(marks >= 40, "%d pixels have the colour of the access" % marks)
    return "drawn: %d articles, nothing beside the page, red under the access" % dom.count(b"<article")


def value_at(document, keys):
    for key in keys.split("."):
        document = document[int(key) if isinstance(document, list) else key]
    return document


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int)
    parser.add_argument("--print", action="append", default=[], dest="keys")
    parser.add_argument("--chromium", action="store_true")
    parser.add_argument("--mutate", action="store_true")
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    wrong = 0
    for path in arguments.files:
        try:
            if path.endswith(".html"):
                count = check_html(path)
                check(arguments.count in (None, count), "%d reports" % count)
                if arguments.chromium:
                    print(draw(path))
                continue
            with open(path, encoding="utf-8") as file:
                document = json.load(file)
            for keys in arguments.keys:
                print("%s: %s" % (keys, value_at(document, keys)))
            count = (check_sarif if path.endswith(".sarif") else check_json)(document)
            check(arguments.count in (None, count), "%d reports" % count)
            if arguments.mutate:
                print("refused: %d mutations" % check_mutations(document))
        except Exception as error:  # any error is a wrong file
            print("%s: %s: %s" % (path, type(error).__name__, str(error)[:2000]))
            wrong += 1
    print("%d files, %d wrong" % (len(arguments.files), wrong))
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
