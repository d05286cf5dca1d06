#!/usr/bin/env python3
"""Checks the files of report_format=json and sarif, and the pages of `gasan report --format html`.

  report_files.py [--count N] FILE...     each file is valid: JSON by docs/gasan-report-1.schema.json, SARIF by what
                                          SARIF 2.1.0 and GitHub need, HTML by the parser for XML; N: there are N
                                          reports in each
  report_files.py --chromium FILE         draws the page by headless Chromium, if the machine has it
  report_files.py --print KEYS FILE       prints values: report_files.py --print reports.0.stacks.1.role FILE
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
import zlib

DOCS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs")
URI = re.compile(r"^(file:///|[^/:])[\w.~/+@%:-]*$")


def check(condition, what):
    if not condition:
        raise ValueError(what)


def check_message(message):
    check(isinstance(message.get("text"), str) and message["text"], "a message without text")


def check_location(location, bases):
    physical = location.get("physicalLocation")
    if physical:
        artifact = physical["artifactLocation"]
        check(URI.match(artifact["uri"]), "no URI: " + artifact["uri"])
        check(artifact.get("uriBaseId") in (None, *bases), "an unknown uriBaseId")
        check(not (artifact.get("uriBaseId") and artifact["uri"].startswith("file:")), "an absolute URI with a base")
        for name, value in physical.get("region", {"startLine": 1}).items():
            check(name in ("startLine", "startColumn") and value >= 1, "a wrong region")
    for logical in location.get("logicalLocations", []):
        check(logical["fullyQualifiedName"] and logical["kind"] == "function", "a wrong logical location")
    if "message" in location:
        check_message(location["message"])
    check(physical or location.get("logicalLocations"), "an empty location")


def check_result(result, rules, bases):
    check(rules[result["ruleIndex"]]["id"] == result["ruleId"], "ruleIndex and ruleId do not agree")
    check(result["level"] == "error" and result["occurrenceCount"] >= 1, "level or occurrenceCount")
    check_message(result["message"])
    check(len(result["locations"]) == 1 and "physicalLocation" in result["locations"][0], "GitHub needs a location")
    check(all(isinstance(value, str) and value for value in result["partialFingerprints"].values())
          and result["partialFingerprints"], "partialFingerprints")
    check_location(result["locations"][0], bases)
    for stack in result["stacks"]:
        check_message(stack["message"])
        check(stack["frames"], "an empty stack")
        for frame in stack["frames"]:
            check_location(frame["location"], bases)
    for flow in result.get("codeFlows", []):
        check(flow["threadFlows"], "an empty code flow")
        for thread in flow["threadFlows"]:
            check(thread["locations"], "an empty thread flow")
            for step in thread["locations"]:
                check_message(step["location"]["message"])
                check("physicalLocation" in step["location"], "a step without a line")
                check_location(step["location"], bases)


def check_sarif(log):
    check(log["version"] == "2.1.0" and log["$schema"].endswith("sarif-2.1.0.json"), "version or $schema")
    check(len(log["runs"]) == 1, "one run")
    run = log["runs"][0]
    driver = run["tool"]["driver"]
    check(driver["name"] == "gasan" and driver["version"], "tool")
    rules = driver["rules"]
    check(len({rule["id"] for rule in rules}) == len(rules), "a rule is there twice")
    for rule in rules:
        check(rule["defaultConfiguration"]["level"] == "error" and rule["id"], "a wrong rule")
        for name in ("shortDescription", "fullDescription", "help"):
            check_message(rule[name])
        check(rule["shortDescription"]["text"] != rule["id"], "a kind without a description: " + rule["id"])
    for invocation in run["invocations"]:
        check(isinstance(invocation["executionSuccessful"], bool), "executionSuccessful")
        check(0 <= invocation.get("exitCode", 0) <= 255, "exitCode")
    bases = run.get("originalUriBaseIds", {})
    check(all(base["uri"].endswith("/") for base in bases.values()), "a base without a slash at its end")
    for result in run["results"]:
        check_result(result, rules, bases)
    return len(run["results"])


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
        except Exception as error:  # any error is a wrong file
            print("%s: %s: %s" % (path, type(error).__name__, str(error)[:2000]))
            wrong += 1
    print("%d files, %d wrong" % (len(arguments.files), wrong))
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
