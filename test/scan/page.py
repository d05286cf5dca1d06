#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that docs/scan.md shows what gasan-scan prints: page.py BUILD"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"<!-- ((?:--\S+ )*\S+\.cu) -->\n```text\n(.*?)```", re.DOTALL)


def main():
    tool = pathlib.Path(sys.argv[1]).resolve() / "bin" / "gasan-scan"
    blocks = BLOCK.findall((ROOT / "docs" / "scan.md").read_text())
    if len(blocks) != 3:
        sys.exit(f"page.py: docs/scan.md has {len(blocks)} outputs instead of 3")
    for words, text in blocks:
        run = subprocess.run([tool, "--quiet"] + words.split(), cwd=ROOT, stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, text=True, check=False)
        if text not in run.stderr:
            sys.exit(f"page.py: the output for {words} in docs/scan.md is not the real one:\n{run.stderr}")
    print("docs/scan.md is true")


if __name__ == "__main__":
    main()
