# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""gasan.triton: puts gasan's checks into the kernels of Triton.

`gasan run -o instrument=on python3 PROGRAM` imports it behind Triton; `import gasan.triton` does so, too. Triton's last
stage, from PTX to a cubin, then goes through gasan-ptxas. PTX that gasan cannot check goes Triton's own way, and a line
says why. Triton's cache keeps checked kernels apart from others."""
import functools
import os
import re
import subprocess
import sys
import tempfile
import threading

# Attributes of an ASTSource that are no meta-parameters, and options that say little.
OPTIONS = ("num_warps", "num_ctas", "num_stages")
said = threading.local()


def folder():
    return os.path.dirname(os.path.abspath(__file__))


def find_tool():
    """Returns the path of gasan-ptxas: in bin/ beside this file (a wheel), or of the installation with this file."""
    for up in ("bin", "../../../bin"):
        path = os.path.normpath(os.path.join(folder(), up, "gasan-ptxas"))
        if os.access(path, os.X_OK):
            return path
    return None


def is_wanted():
    """Returns true if the last setting of instrument in GASAN_OPTIONS is on."""
    settings = os.environ.get("GASAN_OPTIONS", "").replace(" ", ":").replace(",", ":").split(":")
    values = [setting.split("=", 1)[1] for setting in settings if setting.startswith("instrument=")]
    return bool(values) and values[-1] == "on"


def identity(tool):
    """Returns a text that differs for other tools."""
    parts = []
    for path in (os.path.realpath(tool), os.path.normpath(os.path.join(tool, "../../lib/gasan/gasan-lift"))):
        status = os.stat(path)
        parts.append("%d-%d" % (status.st_size, status.st_mtime_ns))
    return "gasan-%s-%s" % ("-".join(parts), os.environ.get("GASAN_PTXAS_FLAGS", ""))


def title():
    """Returns the meta-parameters of the kernel that a caller compiles, for example "(BLOCK=1024, num_warps=4)"."""
    frame = sys._getframe(1)
    while frame and not (frame.f_code.co_name == "compile" and hasattr(frame.f_locals.get("src"), "constants")):
        frame = frame.f_back
    if not frame:
        return ""
    source, options = frame.f_locals["src"], frame.f_locals.get("options")
    names = getattr(getattr(source, "fn", None), "arg_names", [])
    parts = []
    for key, value in source.constants.items():
        index = key[0] if isinstance(key, tuple) else key
        name = names[index] if isinstance(index, int) and index < len(names) else str(index)
        if isinstance(value, (bool, int, float, str)):
            parts.append("%s=%s" % (name, value))
    parts += ["%s=%s" % (name, getattr(options, name)) for name in OPTIONS if hasattr(options, name)]
    text = "(%s)" % ", ".join(parts)
    return "".join(c for c in text if c.isprintable() and c not in "\"\\'")[:200]


def assemble(tool, ptx, architecture, real_ptxas, more):
    """Returns a cubin with checks, or None and the reason."""
    environment = {name: value for name, value in os.environ.items() if name not in ("LD_PRELOAD", "GASAN_OPTIONS")}
    environment.setdefault("GASAN_PTXAS", real_ptxas)
    flags = environment.get("GASAN_PTXAS_FLAGS", "")
    environment["GASAN_PTXAS_FLAGS"] = "%s -mllvm \"-gasan-kernel-title=%s\"" % (flags, title())
    with tempfile.TemporaryDirectory(prefix="gasan-triton-") as work:
        source, result = os.path.join(work, "kernel.ptx"), os.path.join(work, "kernel.cubin")
        with open(source, "w") as file:
            file.write(ptx)
        done = subprocess.run([tool, "--gasan-load", "-arch", architecture, source, "-o", result] + more,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=environment, universal_newlines=True, errors="replace")
        if done.returncode == 0 and os.path.exists(result):
            with open(result, "rb") as file:
                return file.read(), ""
    lines = re.sub(r"gasan-lift: '[^']*'", "PTX", done.stderr).splitlines()
    why = next((line for line in lines if "error: " in line or "fatal" in line), "gasan-ptxas has failed")
    return None, why.split("error: ")[-1]


def cubin_stage(tool, original, backend, options, source, metadata):
    from triton.backends.nvidia import compiler
    architecture = compiler.sm_arch_from_capability(backend.target.arch)
    ptxas = compiler.get_ptxas(backend.target.arch)
    ptxas = getattr(ptxas, "path", None) or (ptxas[0] if isinstance(ptxas, tuple) else ptxas)
    more = [] if getattr(options, "enable_fp_fusion", True) else ["--fmad=false"]
    cubin, why = assemble(tool, source, architecture, ptxas, more)
    if cubin is None or cubin[:4] != b"\x7fELF":
        sys.stderr.write("gasan: the Triton kernel %s gets no checks: %s\n" % (metadata.get("name"), why))
        return original(source, metadata)
    return cubin


def install():
    """Hooks Triton's stages. Returns false, after a line on standard error, if that cannot be."""
    tool = find_tool()
    try:
        from triton import knobs
        from triton.backends.nvidia.compiler import CUDABackend
        knobs.runtime.add_stages_inspection_hook
    except (ImportError, AttributeError):
        sys.stderr.write("gasan: Triton's kernels get no checks: gasan needs Triton 3.5 or later\n")
        return False
    if not tool:
        sys.stderr.write("gasan: Triton's kernels get no checks: gasan-ptxas is not installed with this gasan\n")
        return False
    if getattr(CUDABackend, "gasan", None):
        return True
    key = identity(tool)
    next_hook = knobs.runtime.add_stages_inspection_hook
    hash_without = CUDABackend.hash

    def hook(backend=None, stages=None, options=None, language=None, capability=None):
        if backend is None:  # later versions of Triton ask for a key
            other = next_hook() if next_hook else ("", "")
            return str(other[0]) + key, str(other[1]) + key
        if next_hook:
            next_hook(backend, stages, options, language, capability)
        if "cubin" in stages:
            stages["cubin"] = functools.partial(cubin_stage, tool, stages["cubin"], backend, options)

    CUDABackend.hash = lambda self: "%s-%s" % (hash_without(self), key)
    CUDABackend.gasan = key
    knobs.runtime.add_stages_inspection_hook = hook
    return True


if not is_wanted():
    sys.stderr.write("gasan: Triton's kernels get no checks: run the program with gasan run -o instrument=on\n")
else:
    install()
