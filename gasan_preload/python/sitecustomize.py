# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Switches CuPy's memory pool off, so that each array is an allocation of its own, and, with instrument=on, hooks
Triton, names a ptxas, and gives XLA (JAX) one that puts checks in.

`gasan run` puts this folder first in PYTHONPATH, so each Python process of the program runs this file at its start. The
file takes its folder out of sys.path, and runs the sitecustomize that Python would run without gasan. Other frameworks
are switched by environment variables (gasan_preload/run.c)."""
import os
import sys

OWN = os.path.dirname(os.path.abspath(__file__))


class Finder(object):
    """Stands in sys.meta_path until the module is imported. A program may ask for its spec without importing it."""

    searching = False

    def __init__(self, name, behind, before=None):
        self.name, self.behind, self.before = name, behind, before

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
            if self.before:
                self.before()
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
    if "JAX_COMPILATION_CACHE_DIR" in os.environ:
        os.environ["JAX_COMPILATION_CACHE_DIR"] = os.path.join(cache, "jax")


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


def find_tool():
    """Returns the path of gasan-ptxas: in bin/ beside this file (a wheel), or of the installation with this file."""
    for up in ("bin", "../../../bin"):
        path = os.path.normpath(os.path.join(OWN, up, "gasan-ptxas"))
        if os.access(path, os.X_OK):
            return path
    return None


def make_link(target, path):
    """Makes a symbolic link, or changes it. Another process may do the same."""
    if not os.path.islink(path) or os.readlink(path) != target:
        new = "%s.%d" % (path, os.getpid())
        os.symlink(target, new)
        os.rename(new, path)


def make_xla_folder():
    """Makes a folder that is a toolkit for XLA, with gasan-ptxas in place of ptxas. Returns None if that fails."""
    tool = find_tool()
    homes = [os.environ.get(name, "") for name in ("CUDA_ROOT", "CUDA_HOME")] + ["/usr/local/cuda"]
    homes += [os.path.join(folder, "nvidia", package) for folder in sys.path for package in ("cu13", "cuda_nvcc")]
    cache = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "gasan", "xla")
    if not tool:
        return None
    try:
        os.makedirs(os.path.join(cache, "bin"), exist_ok=True)
        make_link(tool, os.path.join(cache, "bin", "ptxas"))
        for home in homes:
            if home and home != cache and os.path.isdir(os.path.join(home, "nvvm")):
                make_link(os.path.abspath(os.path.join(home, "nvvm")), os.path.join(cache, "nvvm"))
                break
    except OSError as error:
        sys.stderr.write("gasan: XLA's kernels get no checks: %s\n" % error)
        return None
    return cache


def hook_xla():
    """Lets XLA find gasan-ptxas: JAX reads a variable when it is imported, and others have a flag."""
    before = os.environ.get("CUDA_ROOT")

    def enter():
        folder, flags = make_xla_folder(), os.environ.get("XLA_FLAGS", "")
        if not folder:
            return
        os.environ["CUDA_ROOT"] = folder
        if "xla_gpu_cuda_data_dir" not in flags:
            os.environ["XLA_FLAGS"] = (flags + " --xla_gpu_cuda_data_dir=" + folder).strip()

    def leave(module):
        if before is None:
            os.environ.pop("CUDA_ROOT", None)
        else:
            os.environ["CUDA_ROOT"] = before

    for name in ("jax", "tensorflow", "torch_xla"):
        sys.meta_path.insert(0, Finder(name, leave, enter))


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
    hook_xla()
run_next()
