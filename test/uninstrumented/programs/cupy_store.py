# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A RawKernel of CuPy stores behind its array, which `gasan run` makes an allocation of its own."""
# BUG: ERROR: AddressSanitizer: (SEGV|heap-buffer-overflow) on cuda device 0
# BUG: fill
# BUG: <module> .*/cupy_store.py:12$
import sys
import cupy
fill = cupy.RawKernel("extern \"C\" __global__ void fill(float *to, int count) {"
                      " int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < count) to[i] = i; }", "fill")
count = 1 << 14
array = cupy.zeros(count, dtype=cupy.float32)
fill((count // 256 + 1,), (256,), (array, cupy.int32(count + (len(sys.argv) > 1))))
print(float(array[-1]), float(cupy.sum(cupy.ones(1000))))
