# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Switches CuPy's memory pool off, so that each array is an allocation of its own.

`gasan run` puts this folder first in PYTHONPATH, so each Python process of the program runs this file at its start. The
file takes its folder out of sys.path, and runs the sitecustomize that Python would run without gasan. Other frameworks
are switched by environment variables (gasan_preload/run.c)."""
import os
import sys


class CupyFinder(object):
    """Stands in sys.meta_path until CuPy is imported. A program may ask for CuPy's spec without importing CuPy."""

    searching = False

    def find_spec(self, name, path=None, target=None):
        if name != "cupy" or self.searching:
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
            switch_pool_off(module)

        loader.exec_module = exec_module
        return spec


def switch_pool_off(cupy):
    try:
        cupy.cuda.set_allocator(None)
    except Exception as error:
        sys.stderr.write("gasan: CuPy's memory pool stays on, and hides overflows inside its blocks: %s\n" % error)


def run_next():
    """Runs the next sitecustomize of sys.path. Without one, this module keeps the name."""
    own = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder) != own]
    this = sys.modules.pop("sitecustomize")
    try:
        import sitecustomize  # noqa: F401
    except ImportError as error:
        if getattr(error, "name", "sitecustomize") != "sitecustomize":
            raise
    finally:
        sys.modules.setdefault("sitecustomize", this)


if sys.version_info >= (3, 4) and os.environ.get("GASAN_CUPY_NO_POOL") == "1":
    sys.meta_path.insert(0, CupyFinder())
run_next()
