#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the generated parts of docs/internals/cpu-device.md agree with the sources: API calls, NVVM intrinsics
and PTX instructions.

  tools/cpu_device_page.py [--write]     --write updates the page
"""
import glob
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "docs", "internals", "cpu-device.md")

# A call belongs to the first group whose pattern its name matches.
API_GROUPS = [
    ("other APIs: OpenGL, EGL, VDPAU, graphics resources", r"cuda(GL|EGL|VDPAU|Graphics)|cudaEventCreateFromEGL"),
    ("external memory and semaphores",
     r"cuda(Import|Destroy|Signal|Wait)?External|cudaSignalExternal|cudaWaitExternal"),
    ("sharing between processes", r"cudaIpc|cudaMemPool(Export|Import)"),
    ("graphs", r"cudaGraph|cudaUserObject|cudaGetKernelNode"),
    ("textures and surfaces", r".*(TextureObject|SurfaceObject|ChannelDesc|Texture1DLinear)"),
    ("arrays", r".*Array"),
    ("copies and fills", r"cudaMem(cpy|set)"),
    ("memory pools and stream-ordered memory",
     r"cudaMemPool|cuda(Malloc|Free).*Async|cuda(Device|Mem)(Get|Set).*MemPool"),
    ("libraries loaded at run time", r"cudaLibrary|cudaKernelSet"),
    ("memory", r"cuda(Malloc|Free|Host|Mem|PointerGet|GetSymbol)"),
    ("streams", r"cudaStream|cudaThreadExchangeStream|cudaLaunchHostFunc|cuda(Device|Ctx)GetStreamPriority|"
                r"cudaDeviceGetStreamPriorityRange|cudaCtxResetPersisting"),
    ("events", r"cudaEvent"),
    ("errors and logs", r"cuda(GetLastError|PeekAtLastError|GetError|Logs)"),
    ("functions and launches", r"cuda(Func|Launch|Occupancy|GetKernel|GetFunc|SetDoubleFor|OccupancyMax)|"
                               r"__cuda(Push|Pop|Launch|GetKernel)"),
    ("registration of compiled code", r"__cuda"),
    ("driver and tools", r"cuda(GetDriverEntry|GetExportTable|Driver|Runtime|Profiler)"),
    ("devices", r"cuda"),
]

# Intrinsics without a helper of their name, which the retargeting pass replaces.
INTRINSIC_PATTERNS = ("`llvm.nvvm.atomic.*` (scoped atomics), `llvm.nvvm.ldg.global.*`, `llvm.nvvm.ldu.global.*`, "
                      "`llvm.nvvm.move.*`, `llvm.nvvm.internal.addrspace.wrap*` and `llvm.nvvm.reflect` "
                      "become plain code.")


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def base_name(name):
    return re.sub(r"_pt[ds][sz]$", "", name)


def names_in(path, macro):
    return set(re.findall(r"^%s\((\w+)" % macro, read(path), re.MULTILINE))


def code_list(names):
    return ", ".join("`%s`" % name for name in names)


def api_part():
    """Returns the table of API calls: for each group the supported ones, and those that are refused."""
    have = names_in("device/cpu/api.inc", "GASAN_CPU_API(?:_ALIAS)?")
    intercepted = names_in("gasan_rt/calls/calls.inc", "GASAN_CALL(?:_PLAIN)?")
    known = names_in("gasan_rt/calls/forwards.inc", "GASAN_FORWARD") | intercepted
    # The runtime itself implements the calls that it intercepts, except for these, which it passes to the device.
    passing = re.compile(r"ExternalSemaphores|^cudaMem(Prefetch|Discard)|^cudaOccupancyMax.*Cluster")
    have |= {name for name in intercepted
             if name not in have and base_name(name) not in have and not passing.search(name)}
    supported = {base_name(name) for name in known if name in have}
    refused = {base_name(name) for name in known} - supported
    groups = {title: ([], []) for title, _ in API_GROUPS}
    for name in sorted(supported | refused, key=lambda name: (name.lstrip("_").lower(), name)):
        title = next(title for title, pattern in API_GROUPS if re.match(pattern, name))
        groups[title][name in refused].append(name)
    rows = ["%d of libcudart's %d functions are there; `_ptds` and `_ptsz`, their names for the per-thread default "
            "stream, are not counted." % (len(supported), len(supported | refused)), "",
            "| group | supported | refused: `cudaErrorNotSupported` |", "|---|---|---|"]
    for title, (there, missing) in sorted(groups.items()):
        if there or missing:
            rows.append("| %s | %s | %s |" % (title, code_list(there), code_list(missing)))
    return "\n".join(rows)


def preprocess(path):
    compiler = next((found for found in map(shutil.which, ("clang-22", "clang", "cc", "gcc")) if found), None)
    if not compiler:
        sys.exit("tools/cpu_device_page.py: needs a C compiler, to expand the macros of device/cpu/helpers")
    done = subprocess.run([compiler, "-E", "-P", "-I", ROOT, path], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit("tools/cpu_device_page.py: %s: %s" % (path, done.stderr))
    return done.stdout


def intrinsics_part():
    """Returns the table of intrinsics, with a row for each file of helpers."""
    rows = [INTRINSIC_PATTERNS, "", "| helpers | intrinsics, behind `llvm.nvvm.` |", "|---|---|"]
    for path in sorted(glob.glob(os.path.join(ROOT, "device", "cpu", "helpers", "*.c"))):
        names = sorted(set(re.findall(r"\bgasan_nvvm_(\w+)\s*\([^;{}]*\)\s*\{", preprocess(path))))
        if names:
            file = os.path.basename(path)
            rows.append("| [%s](../../device/cpu/helpers/%s) | %s |" % (file[:-2], file, code_list(names)))
    return "\n".join(rows)


def ptx_part():
    """Returns the table of PTX instructions: under each topic the instructions, with the modifiers that
    PtxInstructions.inc allows."""
    text = read("gasan_pass/retarget/PtxInstructions.inc").rpartition("#endif\n")[2]
    lines, rows = [], {}
    entry = re.compile(r'^// ([^\n]*)$|^(GASAN_PTX(?:_CLASS)?)\((.*?)\)$', re.MULTILINE | re.DOTALL)
    for topic, kind, arguments in entry.findall(text):
        if topic:
            rows = {}
            lines.append((topic, rows))
            continue
        name = arguments[1:arguments.index('"', 1)]
        words = " ".join(re.findall(r'"([^"]*)"', arguments)[1:]).replace("+", "").split()
        name = "<%s>" % name if kind == "GASAN_PTX_CLASS" else name
        rows.setdefault(name, []).extend(word for word in words if word not in rows.get(name, []))
    result = ["| topic | instruction, or `<class>` of modifiers | modifiers |", "|---|---|---|"]
    for topic, rows in lines:
        for name, words in rows.items():
            result.append("| %s | `%s` | %s |" % (topic, name, "`%s`" % " ".join(words) if words else ""))
    return "\n".join(result)


PARTS = {"api": api_part, "intrinsics": intrinsics_part, "ptx": ptx_part}


def main():
    page = read(PAGE)
    right = page
    for name, make in PARTS.items():
        marks = re.compile(r"(<!-- %s: [^\n]*-->\n)(.*?)(<!-- end of %s -->)" % (name, name), re.DOTALL)
        found = marks.search(right)
        if not found:
            sys.exit("docs/internals/cpu-device.md has no part %s between its two marks" % name)
        right = right[:found.start(2)] + "\n" + make() + "\n\n" + right[found.end(2):]
    if right == page:
        return 0
    if "--write" in sys.argv[1:]:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(right)
        return 0
    print("docs/internals/cpu-device.md does not agree with the sources; run tools/cpu_device_page.py --write")
    return 1


if __name__ == "__main__":
    sys.exit(main())
