# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two extensions of PyTorch, which nvcc builds with PTX and lines."""
import os

import torch
from common import main
from torch.utils.cpp_extension import load_inline

HERE = os.path.dirname(os.path.abspath(__file__))


def build():
    with open(os.path.join(HERE, "torch_extension.cu")) as file:
        source = file.read()
    declarations = "void clip(torch::Tensor to, torch::Tensor from, long count);\n" \
                   "void running_mean(torch::Tensor to, torch::Tensor from, long count);\n"
    os.environ["TORCH_CUDA_ARCH_LIST"] = "%d.%d+PTX" % torch.cuda.get_device_capability()
    return load_inline("gasan_instrumented", declarations, "#line 1 \"%s/torch_extension.cu\"\n%s" % (HERE, source),
                       functions=["clip", "running_mean"], extra_cuda_cflags=["-lineinfo"])


extension = build()
COUNT = 1 << 22


def program(name):
    def make(has_bug):
        source = torch.rand(COUNT, device="cuda", generator=torch.Generator("cuda").manual_seed(1))
        to = torch.zeros(COUNT, device="cuda")
        count = COUNT + 8 * has_bug
        return (lambda: getattr(extension, name)(to, source, count), lambda: float(to.double().sum()))
    return make


if __name__ == "__main__":
    main({name: program(name) for name in ("clip", "running_mean")}, torch.cuda.synchronize)
