# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Five RawKernels of CuPy."""
import cupy
from common import main
from cuda_sources import COUNT, SOURCES, grid_of


def program(name):
    def make(has_bug):
        kernel = cupy.RawKernel(SOURCES[name], name)
        source = cupy.arange(COUNT, dtype=cupy.float32) % 1000
        to = cupy.zeros(COUNT, dtype=cupy.float32)
        count = cupy.int32(COUNT + 8 * has_bug)
        return (lambda: kernel((grid_of(name, int(count)),), (256,), (to, source, count)),
                lambda: float(to.astype(cupy.float64).sum()))
    return make


if __name__ == "__main__":
    main({name: program(name) for name in SOURCES}, cupy.cuda.Device().synchronize)
