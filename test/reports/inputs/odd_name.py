#!/usr/bin/env python3
"""Copies a source, without its test lines, to a file with an odd name: odd_name.py SOURCE FOLDER"""
import os
import sys

folder = os.path.join(sys.argv[2].encode(), b"script>")
os.makedirs(folder, exist_ok=True)
with open(sys.argv[1], "rb") as source, open(os.path.join(folder, b"odd #\xff.cu"), "wb") as copy:
    copy.writelines(line for line in source if not line.startswith(b"//"))
