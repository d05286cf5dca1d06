# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ten kernels of triton_kernels.py. A bug is a wrong size, so that the kernel leaves a tensor."""
import torch
import triton_kernels as kernels
from common import main

torch.manual_seed(1)


def tensor(*shape, dtype=torch.float32):
    return torch.rand(*shape, device="cuda").to(dtype)


def total(value):
    return lambda: float(value.double().sum())


def add(has_bug):
    n = 1 << 22
    x, y, out = tensor(n), tensor(n), torch.zeros(n, device="cuda")
    return lambda: kernels.add[(n // 1024 + 1,)](x, y, out, n + 16 * has_bug, BLOCK=1024), total(out)


def softmax(has_bug):
    rows, columns = 4096, 1000
    x, out = tensor(rows, columns), torch.zeros(rows, columns, device="cuda")
    return lambda: kernels.softmax[(rows + has_bug,)](x, out, columns, columns, BLOCK=1024), total(out)


def matmul(has_bug):
    m = n = k = 1024
    a, b = tensor(m, k, dtype=torch.float16), tensor(k, n, dtype=torch.float16)
    c = torch.zeros(m, n, device="cuda", dtype=torch.float16)
    return (lambda: kernels.matmul[(m // 64 + has_bug, n // 64)](a, b, c, m + 64 * has_bug, n, k, BM=64, BN=64, BK=32),
            total(c))


def layer_norm(has_bug):
    rows, columns = 4096, 1000
    x, out = tensor(rows, columns), torch.zeros(rows, columns, device="cuda")
    weight, bias = tensor(columns - 8 * has_bug), tensor(columns)
    return lambda: kernels.layer_norm[(rows,)](x, weight, bias, out, columns, 1e-5, BLOCK=1024), total(out)


def attention(has_bug):
    heads, length = 16, 500
    q, k, v = (tensor(heads, length, 64, dtype=torch.float16) for _ in range(3))
    out = torch.zeros(heads - has_bug, length, 64, device="cuda", dtype=torch.float16)
    return lambda: kernels.attention[(8, heads)](q, k, v, out, length, 0.125, BLOCK=64, HEAD=64), total(out)


def dropout(has_bug):
    n = 1 << 22
    x, out = tensor(n), torch.zeros(n - 64 * has_bug, device="cuda")
    return lambda: kernels.dropout[(n // 1024,)](x, out, n, 0.5, 7, BLOCK=1024), total(out)


def grouped_matmul(has_bug):
    groups, rows, n, k = 8, 1024, 256, 256
    firsts = torch.arange(0, rows + 1, rows // groups, device="cuda", dtype=torch.int32)[:groups + 1 - has_bug].clone()
    a, b = tensor(rows, k, dtype=torch.float16), tensor(groups, k, n, dtype=torch.float16)
    c = torch.zeros(rows, n, device="cuda", dtype=torch.float16)
    return lambda: kernels.grouped_matmul[(groups, n // 64)](a, b, c, firsts, k, n, BM=32, BN=64, BK=32), total(c)


def gather(has_bug):
    rows, width = 50000, 200
    table, out = tensor(1000, width), torch.zeros(rows, width, device="cuda")
    indices = torch.arange(rows, device="cuda", dtype=torch.int32) % 1000
    if has_bug:
        indices[777] = 1000
    return lambda: kernels.gather[(rows,)](table, indices, out, rows, width, BLOCK=256), total(out)


def histogram(has_bug):
    n = 1 << 22
    values = torch.arange(n, device="cuda", dtype=torch.int32) % 256
    if has_bug:
        values[12345] = 256
    counts = torch.zeros(256, device="cuda", dtype=torch.int32)
    return lambda: kernels.histogram[(n // 1024,)](values, counts, n, BLOCK=1024), lambda: float(counts[0] > 0)


def transpose(has_bug):
    m, n = 2000, 1500
    x, out = tensor(m, n), torch.zeros(n - has_bug, m, device="cuda")
    return lambda: kernels.transpose[(63, 47)](x, out, m, n, BLOCK=32), total(out)


if __name__ == "__main__":
    main({function.__name__: function for function in (add, softmax, matmul, layer_norm, attention, dropout,
                                                       grouped_matmul, gather, histogram, transpose)},
         torch.cuda.synchronize)
