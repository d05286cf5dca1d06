# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's own kernels, all correct."""
import torch
x = torch.randn(300, 400, device="cuda", generator=torch.Generator("cuda").manual_seed(1))
y = (x @ x.T).softmax(1).sum()
model = torch.nn.Sequential(torch.nn.Linear(400, 100), torch.nn.ReLU(), torch.nn.Linear(100, 10)).cuda()
model(x).sum().backward()
print("%.3f" % y.item(), torch.arange(1000, device="cuda").sum().item(), x.sort().values.shape)
