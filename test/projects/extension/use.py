# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""use.py MODULE N: adds one to the first N of 100 elements."""
import ctypes
import sys

module = ctypes.CDLL(sys.argv[1])
module.add_one_to.restype = ctypes.c_float
print("last:", module.add_one_to(100, int(sys.argv[2])), flush=True)
