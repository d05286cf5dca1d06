# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Three kernels of Numba, with lines (lineinfo=True)."""
import numpy
from common import main

if not hasattr(numpy, "row_stack"):  # numba-cuda wants the older NumPy's name
    numpy.row_stack = numpy.vstack
from numba import cuda  # noqa: E402

COUNT = 1 << 20


@cuda.jit(lineinfo=True)
def saxpy(out, x, y, factor, count):
    i = cuda.grid(1)
    if i < count:
        out[i] = factor * x[i] + y[i]  # BUG saxpy


@cuda.jit(lineinfo=True)
def smooth(out, x, y, factor, count):
    i = cuda.grid(1)
    if 1 <= i < count - 1:
        out[i] = factor * (x[i - 1] + x[i] + x[i + 1]) + y[i]  # BUG smooth


@cuda.jit(lineinfo=True)
def scatter(out, x, y, factor, count):
    i = cuda.grid(1)
    if i < count:
        out[(i * 7919) % count] = factor * x[i % 1000]  # BUG scatter


def program(kernel):
    def make(has_bug):
        x = cuda.to_device(numpy.arange(COUNT, dtype=numpy.float32) % 1000)
        y, out = cuda.to_device(numpy.ones(COUNT, numpy.float32)), cuda.to_device(numpy.zeros(COUNT, numpy.float32))
        count = COUNT + 8 * has_bug
        return (lambda: kernel[(count + 255) // 256, 256](out, x, y, numpy.float32(2), count),
                lambda: float(out.copy_to_host().astype(numpy.float64).sum()))
    return make


if __name__ == "__main__":
    main({kernel.py_func.__name__: program(kernel) for kernel in (saxpy, smooth, scatter)}, cuda.synchronize)
