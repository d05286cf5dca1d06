# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A RawKernel of CuPy gets an array that was freed."""
# BUG: ERROR: AddressSanitizer: (SEGV|heap-use-after-free) on cuda device 0
# BUG: twice
# BUG: main .*/cupy_use_after_free.py:16$
import sys
import cupy
twice = cupy.RawKernel("extern \"C\" __global__ void twice(int *values) { values[threadIdx.x] *= 2; }", "twice")
def main():
    array = cupy.arange(1 << 20, dtype=cupy.int32)
    pointer = array.data.ptr
    twice((1,), (256,), (cupy.uint64(pointer),))
    print(int(array[255]))
    if len(sys.argv) > 1:
        del array
    twice((1,), (256,), (cupy.uint64(pointer),))
    cupy.cuda.runtime.deviceSynchronize()
main()
