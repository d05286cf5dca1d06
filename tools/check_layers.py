#!/usr/bin/env python3
"""Checks that includes follow the arrows of the architecture:

    base <- device <- { shadow, handles } <- pool <- gasan_rt
    base <- proof <- { gasan_rt, gasan_pass }

gasan_pass, driver, proof and gasan_rt/kernel see base and the address arithmetic of shadow and handles only (and, on the compiler's
side, the ABI of CPU images). Of another folder only its public headers may be included, and by their path from the root.
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOURCES = (".c", ".cpp", ".cc", ".cu", ".h", ".inc", ".S")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)

# What a folder shows to others: files, or "/*" for all that lie directly in it.
BASE = {"base/*"}
DEVICE = {"device/device.h"}
DEVICE_KINDS = {"device/cpu/cpu.h", "device/cuda/cuda.h"}  # how the runtime sets the two kinds up
CPU_IMAGE = {"device/cpu/image.h", "device/cpu/matrix.h"}
ARITHMETIC = {"shadow/bounds.h", "shadow/encoding.h", "shadow/tags.h", "handles/codec.h"}
SHADOW = {"shadow/shadow.h", "shadow/tables.h", "shadow/ranges.h", "shadow/territory.h"}
HANDLES = {"handles/handles.h"}
POOL = {"pool/pool.h"}
PROOF = {"proof/proof.h"}
JUDGEMENT = {"proof/plausible.h"}
SANITIZER = {"gasan_rt/sanitizer/sanitizer.h"}
OPTIONS = {"gasan_rt/core/options.inc"}

# Folder -> what it may include from elsewhere. The longest folder that holds a file counts.
LAYERS = {
    "base": set(),
    "device": BASE,
    "device/cpu": BASE | DEVICE,
    "device/cuda": BASE | DEVICE,
    "shadow": BASE | DEVICE,
    "handles": BASE | DEVICE,
    "proof": BASE | ARITHMETIC,
    "pool": BASE | DEVICE | ARITHMETIC | SHADOW | HANDLES,
    "gasan_rt": BASE | DEVICE | DEVICE_KINDS | ARITHMETIC | SHADOW | HANDLES | POOL | PROOF | SANITIZER,
    "gasan_rt/sanitizer": BASE | OPTIONS | ARITHMETIC,
    "gasan_rt/symbolizer": set(),
    "gasan_rt/kernel": BASE | ARITHMETIC,
    "gasan_pass": BASE | ARITHMETIC | CPU_IMAGE | JUDGEMENT,
    "driver": BASE | CPU_IMAGE,
}


def layer_of(path):
    folders = [folder for folder in LAYERS if path.startswith(folder + "/")]
    return max(folders, key=len) if folders else None


def allowed(layer, included):
    own = included.startswith(layer + "/") and layer_of(included) == layer
    return own or included in LAYERS[layer] or os.path.dirname(included) + "/*" in LAYERS[layer]


def complaints(path, text):
    """What is wrong with the includes of one file, whose path is relative to the root."""
    layer = layer_of(path)
    if layer is None:
        return
    for match in INCLUDE.finditer(text):
        included = match.group(1)
        line = text.count("\n", 0, match.start()) + 1
        if os.path.exists(os.path.join(ROOT, included)):
            if not allowed(layer, included):
                yield "%s:%d: %s may not include %s" % (path, line, layer, included)
        elif os.path.exists(os.path.join(ROOT, os.path.dirname(path), included)):
            yield "%s:%d: include %s by its path from the root" % (path, line, included)


def main():
    found = []
    for layer in LAYERS:
        for folder, _, files in os.walk(os.path.join(ROOT, layer)):
            for file in sorted(files):
                path = os.path.relpath(os.path.join(folder, file), ROOT)
                if file.endswith(SOURCES) and layer_of(path) == layer:
                    with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as source:
                        found += complaints(path, source.read())
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
