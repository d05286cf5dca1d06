# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A library built by nvcc, as an extension of PyTorch: its kernel stores behind a tensor."""
# BUG: ERROR: AddressSanitizer: heap-buffer-overflow
# BUG: WRITE of at least [1-4] bytes? at 0x\w+, found between launches
# BUG: Only this kernel may have written there:\nscale\(float\*, int, float\)<<<4, 256>>>
# BUG: scale_tensor .*/torch_extension.py:25$
# BUG: located [0-3] bytes after 4000-byte region
import ctypes
import os
import subprocess
import sys
import tempfile
import torch
SOURCE = r"""
__global__ void scale(float *values, int count, float by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    values[i] = by;
}
extern "C" void run_scale(float *values, int count, float by, void *stream) {
  scale<<<(count + 255) / 256, 256, 0, (cudaStream_t)stream>>>(values, count, by);
}
"""
def scale_tensor(library, tensor, count):
    library.run_scale(ctypes.c_void_p(tensor.data_ptr()), count, ctypes.c_float(2),
                      ctypes.c_void_p(torch.cuda.current_stream().cuda_stream))
folder = tempfile.TemporaryDirectory()
source = os.path.join(folder.name, "scale.cu")
with open(source, "w") as file:
    file.write(SOURCE)
subprocess.run(["nvcc", "-arch=native", "-shared", "-Xcompiler", "-fPIC", source, "-o", source + ".so"], check=True)
library = ctypes.CDLL(source + ".so")
tensor, behind = torch.ones(1000, device="cuda"), torch.ones(1000, device="cuda")
scale_tensor(library, tensor, 1000 + (len(sys.argv) > 1))
torch.cuda.synchronize()
print(tensor.sum().item(), behind.sum().item())
