# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A Triton kernel stores without its mask."""
# BUG: ERROR: AddressSanitizer: (SEGV|heap-buffer-overflow) on cuda device 0
# BUG: fill
# BUG: <module> .*/triton_store.py:16$
import sys
import torch
import triton
import triton.language as tl
@triton.jit
def fill(to, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(to + at, at, mask=at < count)
count = 4096
memory = torch.zeros(count, dtype=torch.int32, device="cuda")
fill[(count // 1024 + 1,)](memory, count + 4096 * (len(sys.argv) > 1), BLOCK=1024)
print(memory[-1].item())
