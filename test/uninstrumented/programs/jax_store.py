# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An array of JAX: a set by the driver API is too long."""
# BUG: ERROR: AddressSanitizer: heap-buffer-overflow
# BUG: WRITE of size 4004 at 0x\w+ by cuMemsetD8
# BUG: overflow .*/jax_store.py:12$
# BUG: located 0 bytes after 4000-byte region
import ctypes
import sys
import jax
import jax.numpy as jnp
def overflow(array, size):
    return ctypes.CDLL("libcuda.so.1").cuMemsetD8_v2(ctypes.c_uint64(array.unsafe_buffer_pointer()), 0,
                                                     ctypes.c_size_t(size))
array = jax.block_until_ready(jnp.zeros(1000) + 1)
overflow(array, 4000 + 4 * (len(sys.argv) > 1))
print(float(array.sum()))
