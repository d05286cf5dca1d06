# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel that PyTorch compiles at run time stores behind a tensor."""
# BUG: ERROR: AddressSanitizer: (SEGV|heap-buffer-overflow) on cuda device 0
# BUG: fill
import sys
import torch
fill = torch.cuda._compile_kernel("extern \"C\" __global__ void fill(float *to, int count) {"
                                  " int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < count) to[i] = i; }", "fill")
count = 1 << 14
tensor = torch.zeros(count, device="cuda")
fill((count // 256 + 1, 1, 1), (256, 1, 1), (tensor, count + (len(sys.argv) > 1)))
print(tensor[-1].item())
