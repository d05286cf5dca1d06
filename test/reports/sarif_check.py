"""Checks a file of SARIF 2.1.0: by OASIS's schema, and by the rules of GitHub and of gasan that no schema has."""
import copy
import importlib.util
import json
import os
import re

CACHE = os.environ.get("GASAN_CACHE") or os.path.expanduser("~/.cache/gasan")
SCHEMA = os.path.join(CACHE, "sarif-2.1.0", "sarif-2.1.0.json")  # from `setup.sh tests`
URI = re.compile(r"^(file:///|[^/:])[\w.~/+@%-]*$", re.ASCII)
PERCENT = re.compile(r"%(?![0-9A-F]{2})")


def check(condition, what):
    if not condition:
        raise ValueError(what)


def has_schemas():
    """Returns whether the packages of `setup.sh tests` that check files are there."""
    return importlib.util.find_spec("jsonschema") is not None and os.path.exists(SCHEMA)


def validator():
    import jsonschema
    with open(SCHEMA, encoding="utf-8") as file:
        return jsonschema.Draft4Validator(json.load(file))


def check_uri(uri):
    check(URI.match(uri) and not PERCENT.search(uri), "no URI: " + uri)


def check_location(location, bases):
    physical = location.get("physicalLocation")
    if physical:
        artifact = physical["artifactLocation"]
        check_uri(artifact["uri"])
        check(artifact.get("uriBaseId") in (None, *bases), "an unknown uriBaseId")
        check(not (artifact.get("uriBaseId") and artifact["uri"].startswith("file:")), "an absolute URI with a base")
    check(physical or location.get("logicalLocations"), "an empty location")


def check_result(result, rules, bases):
    check(rules[result["ruleIndex"]]["id"] == result["ruleId"], "ruleIndex and ruleId do not agree")
    check(len(result["locations"]) == 1 and "physicalLocation" in result["locations"][0], "GitHub needs a location")
    check(all(result["partialFingerprints"].values()), "partialFingerprints")
    check_location(result["locations"][0], bases)
    for stack in result["stacks"]:
        check(stack["frames"] and stack["message"]["text"], "an empty stack")
        for frame in stack["frames"]:
            check_location(frame["location"], bases)
    for flow in result.get("codeFlows", []):
        for thread in flow["threadFlows"]:
            for step in thread["locations"]:
                check("physicalLocation" in step["location"], "a step without a line")
                check(step["location"]["message"]["text"], "a step without a message")
                check_location(step["location"], bases)


def check_sarif(log):
    """Returns the number of results."""
    validator().validate(log)
    check(len(log["runs"]) == 1, "one run")
    run = log["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    check(len({rule["id"] for rule in rules}) == len(rules), "a rule is there twice")
    for rule in rules:
        check(rule["shortDescription"]["text"] != rule["id"], "a kind without a description: " + rule["id"])
    bases = run.get("originalUriBaseIds", {})
    for base in bases.values():
        check_uri(base["uri"])
        check(base["uri"].endswith("/"), "a base without a slash at its end")
    for invocation in run["invocations"]:
        check(0 <= invocation.get("exitCode", 0) <= 255, "exitCode")
        check_uri(invocation["executableLocation"]["uri"].lstrip("/"))
    for result in run["results"]:
        check_result(result, rules, bases)
    return len(run["results"])


def remove(part, name):
    del part[name]


# Each makes a valid file with a result invalid.
MUTATIONS = {
    "another version": lambda log, run, result: log.update(version="2.0.0"),
    "no runs": lambda log, run, result: remove(log, "runs"),
    "a tool without a name": lambda log, run, result: remove(run["tool"]["driver"], "name"),
    "a rule without an id": lambda log, run, result: remove(run["tool"]["driver"]["rules"][0], "id"),
    "a process id as text": lambda log, run, result: run["invocations"][0].update(processId="1"),
    "a result without a message": lambda log, run, result: remove(result, "message"),
    "a message without a text": lambda log, run, result: result.update(message={}),
    "an unknown level": lambda log, run, result: result.update(level="fatal"),
    "no occurrences": lambda log, run, result: result.update(occurrenceCount=0),
    "a member that SARIF does not have": lambda log, run, result: result.update(colour="red"),
    "line 0": lambda log, run, result: result["locations"][0]["physicalLocation"]["region"].update(startLine=0),
    "the same stack twice": lambda log, run, result: result["stacks"].append(result["stacks"][0]),
    "a flow without steps": lambda log, run, result: result["codeFlows"][0]["threadFlows"][0].update(locations=[]),
    "a fingerprint as a number": lambda log, run, result: result.update(partialFingerprints={"gasan/v1": 1}),
}


def check_mutations(log):
    """The schema refuses each mutation. Returns the number of mutations."""
    schema = validator()
    for name, mutate in MUTATIONS.items():
        changed = copy.deepcopy(log)
        mutate(changed, changed["runs"][0], changed["runs"][0]["results"][0])
        check(not schema.is_valid(changed), "the schema accepts a file with " + name)
    return len(MUTATIONS)
