# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel of Numba stores behind its array."""
# BUG: ERROR: AddressSanitizer: heap-buffer-overflow
# BUG: located [0-3] bytes after 4000-byte region
# BUG: (may have written there|found when the memory was freed)
import sys
import numpy
if not hasattr(numpy, "row_stack"):  # numba-cuda wants the older NumPy's name
    numpy.row_stack = numpy.vstack
from numba import cuda
@cuda.jit
def fill(to, count):
    i = cuda.grid(1)
    if i < count:
        to[i] = i
array = cuda.to_device(numpy.zeros(1000, dtype=numpy.int32))
fill[8, 128](array, 1000 + (len(sys.argv) > 1))
print(int(array.copy_to_host()[-1]))
del array
