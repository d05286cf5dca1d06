# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two processes with a GPU each train one model by NCCL; with an argument, a copy of a result is too long."""
# DEVICES: 2
# BUG: ERROR: AddressSanitizer: heap-buffer-overflow
# BUG: READ of size 4004 at 0x\w+ by cuMemcpyDtoH
# BUG: overflow .*/torch_ranks.py:15$
import ctypes
import os
import sys
import torch
import torch.distributed
import torch.multiprocessing
def overflow(tensor, count):
    host = (ctypes.c_float * 2000)()
    ctypes.CDLL("libcuda.so.1").cuMemcpyDtoH_v2(host, ctypes.c_uint64(tensor.data_ptr()), ctypes.c_size_t(4 * count))
    return host[999]
def train(rank, count):
    torch.cuda.set_device(rank)
    torch.distributed.init_process_group("nccl", rank=rank, world_size=2)
    model = torch.nn.Linear(64, 64).cuda()
    model = torch.nn.parallel.DistributedDataParallel(model, device_ids=[rank])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(5):
        optimizer.zero_grad()
        model(torch.full((8, 64), 1.0 + rank + step, device="cuda")).square().mean().backward()
        optimizer.step()
    total = torch.full((1000,), 1.0 + rank, device="cuda")
    torch.distributed.all_reduce(total)
    torch.cuda.synchronize()
    if rank == 0:
        print(overflow(total, count))
    torch.distributed.destroy_process_group()
if __name__ == "__main__":
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", "29431")
    torch.multiprocessing.spawn(train, (1000 + (len(sys.argv) > 1),), nprocs=2)
