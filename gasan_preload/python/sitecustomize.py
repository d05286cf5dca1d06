# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Switches CuPy's memory pool off, so that each array is an allocation of its own, and, with instrument=on, hooks
Triton and names a ptxas.

`gasan run` puts this folder first in PYTHONPATH, so each Python process of the program runs this file at its start. The
file takes its folder out of sys.path, and runs the sitecustomize that Python would run without gasan. Other frameworks
are switched by environment variables (gasan_preload/run.c)."""
import os
import sys

OWN = os.path.dirname(os.path.abspath(__file__))


class Finder(object):
    """Stands in sys.meta_path until the module is imported. A program may ask for its spec without importing it."""

    searching = False

    def __init__(self, name, behind):
        self.name, self.behind = name, behind

    def find_spec(self, name, path=None, target=None):
        if name != self.name or self.searching:
            return None
        import importlib.util
        self.searching = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self.searching = False
        if spec is None or spec.loader is None:
            return spec
        loader = spec.loader
        run = loader.exec_module

        def exec_module(module):
            del loader.exec_module
            run(module)
            if self in sys.meta_path:
                sys.meta_path.remove(self)
            self.behind(module)

        loader.exec_module = exec_module
        return spec


def switch_pool_off(cupy):
    try:
        cupy.cuda.set_allocator(None)
    except Exception as error:
        sys.stderr.write("gasan: CuPy's memory pool stays on, and hides overflows inside its blocks: %s\n" % error)


def hook_triton(triton):
    """Runs gasan.triton, which may be installed in another folder than this Python's packages."""
    try:
        import importlib.util
        spec = importlib.util.spec_from_file_location("gasan_triton", os.path.join(OWN, "gasan_triton.py"))
        module = importlib.util.module_from_spec(spec)
        sys.modules["gasan_triton"] = module
        spec.loader.exec_module(module)
    except Exception as error:
        sys.stderr.write("gasan: Triton's kernels get no checks: %s\n" % error)


def instruments():
    """Returns true if the last setting of instrument in GASAN_OPTIONS is on."""
    settings = os.environ.get("GASAN_OPTIONS", "").replace(" ", ":").replace(",", ":").split(":")
    values = [setting for setting in settings if setting.startswith("instrument=")]
    return bool(values) and values[-1] == "instrument=on"


def separate_caches():
    """Names folders for the code that frameworks keep on disk, so that checked and other code do not mix."""
    cache = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "gasan")
    for name, folder in (("CUPY_CACHE_DIR", "cupy"), ("TORCHINDUCTOR_CACHE_DIR", "inductor")):
        os.environ.setdefault(name, os.path.join(cache, folder))


def name_ptxas():
    """Sets GASAN_PTXAS to a ptxas of Python's packages if there is no toolkit."""
    homes = [os.environ.get("CUDA_HOME") or "/usr/local/cuda", os.path.join(OWN, "../../../libexec/gasan/cuda")]
    if "GASAN_PTXAS" in os.environ or any(os.path.exists(os.path.join(home, "bin", "ptxas")) for home in homes):
        return
    for place in ("nvidia/cu13/bin/ptxas", "nvidia/cuda_nvcc/bin/ptxas", "triton/backends/nvidia/bin/ptxas"):
        for folder in sys.path:
            path = os.path.join(folder, place)
            if os.access(path, os.X_OK):
                os.environ["GASAN_PTXAS"] = os.path.abspath(path)
                return


def run_next():
    """Runs the next sitecustomize of sys.path. Without one, this module keeps the name."""
    sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder) != OWN]
    this = sys.modules.pop("sitecustomize")
    try:
        import sitecustomize  # noqa: F401
    except ImportError as error:
        if getattr(error, "name", "sitecustomize") != "sitecustomize":
            raise
    finally:
        sys.modules.setdefault("sitecustomize", this)


if sys.version_info >= (3, 4) and os.environ.get("GASAN_CUPY_NO_POOL") == "1":
    sys.meta_path.insert(0, Finder("cupy", switch_pool_off))
if sys.version_info >= (3, 4) and instruments():
    sys.meta_path.insert(0, Finder("triton", hook_triton))
    separate_caches()
    name_ptxas()
run_next()
