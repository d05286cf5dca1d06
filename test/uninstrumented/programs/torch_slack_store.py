# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel that PyTorch compiles at run time stores behind a tensor of 1,000 elements."""
# BUG: ERROR: AddressSanitizer: heap-buffer-overflow
# BUG: located [0-3] bytes after 4000-byte region
# BUG: <module> .*/torch_slack_store.py:11$
# BUG: <module> .*/torch_slack_store.py:12$
import sys
import torch
fill = torch.cuda._compile_kernel("extern \"C\" __global__ void fill(float *to, int count) {"
                                  " int i = threadIdx.x; for (; i < count; i += blockDim.x) to[i] = i; }", "fill")
tensor = torch.zeros(1000, device="cuda")
fill((1, 1, 1), (256, 1, 1), (tensor, 1000 + (len(sys.argv) > 1)))
print(tensor[-1].item())
del tensor
