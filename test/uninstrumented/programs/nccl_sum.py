# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NCCL adds tensors of two GPUs; with an argument, a copy of the result is too long."""
# DEVICES: 2
# BUG: ERROR: AddressSanitizer: heap-buffer-overflow
# BUG: READ of size 4004 at 0x\w+ by cuMemcpyDtoH
# BUG: overflow .*/nccl_sum.py:13$
import ctypes
import sys
import torch
import torch.cuda.nccl
def overflow(tensor, count):
    host = (ctypes.c_float * 2000)()
    ctypes.CDLL("libcuda.so.1").cuMemcpyDtoH_v2(host, ctypes.c_uint64(tensor.data_ptr()), ctypes.c_size_t(4 * count))
    return host[999]
tensors = [torch.full((1000,), 1.0 + i, device="cuda:%d" % i) for i in range(2)]
for _ in range(10):
    torch.cuda.nccl.all_reduce(tensors)
for i in range(2):
    torch.cuda.synchronize(i)
torch.cuda.set_device(0)
print(tensors[1][999].item(), overflow(tensors[0], 1000 + (len(sys.argv) > 1)))
