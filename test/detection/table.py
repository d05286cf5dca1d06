"""Makes the suite's table: the detected cases by category, beside the paper's counts for other tools."""
import collections

from cases import PAPER, PAPER_TOOLS, TITLES

SUM = "all of table 2"
SHOWN = {"bst": "gasan", "shadow": "gasan, shadow mode", "plain": "no tool", "sanitizer": "compute-sanitizer"}


def summarise(results):
    """Returns table 2's rows, their sum, and the groups that are not in table 2.

    A row is {"category", "cases", "paper": {tool: detected}, "measured": {tool: {level: {"detected", "of",
    "alarms"}}}}. "of" is less than "cases" if not all programs are for this tool.
    """
    categories = list(PAPER) + sorted({result["category"] for result in results} - set(PAPER))
    rows = [row(category, [category], results) for category in categories]
    rows.insert(len(PAPER), row(SUM, list(PAPER), results))
    return [one for one in rows if one["cases"]]


def row(title, categories, results):
    measured = collections.defaultdict(dict)
    mine = [result for result in results if result["category"] in categories]
    for result in mine:
        cell = measured[result["tool"]].setdefault(result["level"], {"detected": 0, "of": 0, "alarms": 0})
        if result["twin"]:
            cell["alarms"] += result["outcome"] == "alarm"
        else:
            cell["of"] += 1
            cell["detected"] += result["outcome"] == "detected"
    known = [PAPER[category][1] for category in categories if category in PAPER]
    return {"category": title, "cases": len({result["case"] for result in mine}),
            "paper": dict(zip(PAPER_TOOLS, map(sum, zip(*known)))), "measured": measured}


def text(rows, mode):
    """Returns the table in Markdown. The "paper" columns are cuCatch's table 2; this run measured the others."""
    # gasan's columns are the last, beside the false alarms.
    measured = rows[0]["measured"] if rows else {}
    columns = [(tool, level) for tool, levels in reversed(measured.items()) for level in levels]
    heads = ["", "cases"] + ["paper: " + tool for tool in PAPER_TOOLS]
    heads += ["%s -O%s" % (SHOWN[tool], level) for tool, level in columns] + ["false alarms"]
    lines = [heads, ["--"] + ["--:"] * (len(heads) - 1)]
    for one in rows:
        cells = [TITLES.get(one["category"], one["category"].replace("-", " ")), str(one["cases"])]
        cells += [str(one["paper"].get(tool, "")) for tool in PAPER_TOOLS]
        for tool, level in columns:
            found = one["measured"].get(tool, {}).get(level)
            cells.append("%d/%d" % (found["detected"], found["of"]) if found else "")
        lines.append(cells + [str(sum(found["alarms"] for found in one["measured"][mode].values()))])
    widths = [max(len(line[column]) for line in lines) for column in range(len(heads))]
    return "\n".join("| %s |" % " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) for line in lines)
