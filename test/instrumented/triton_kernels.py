# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ten Triton kernels, correct or with a planted bug. Used on a GPU (run.py) and, without one, by compile.py."""
import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.load(x + at, mask=at < n) + tl.load(y + at, mask=at < n)  # BUG add
    tl.store(out + at, total, mask=at < n)


@triton.jit
def softmax(x, out, stride, columns, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    values = tl.load(x + row * stride + at, mask=at < columns, other=-float("inf"))  # BUG softmax
    powers = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row * stride + at, powers / tl.sum(powers, axis=0), mask=at < columns)


@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        left = tl.load(a + rows[:, None] * K + (k + depth)[None, :], mask=rows[:, None] < M, other=0.0)  # BUG matmul
        right = tl.load(b + (k + depth)[:, None] * N + columns[None, :], mask=columns[None, :] < N, other=0.0)
        sums += tl.dot(left, right)
    tl.store(c + rows[:, None] * N + columns[None, :], sums.to(tl.float16),
             mask=(rows[:, None] < M) & (columns[None, :] < N))


@triton.jit
def layer_norm(x, weight, bias, out, columns, eps, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    inside = at < columns
    values = tl.load(x + row * columns + at, mask=inside, other=0.0)
    mean = tl.sum(values, axis=0) / columns
    centred = tl.where(inside, values - mean, 0.0)
    scale = 1 / tl.sqrt(tl.sum(centred * centred, axis=0) / columns + eps)
    result = centred * scale * tl.load(weight + at, mask=inside) + tl.load(bias + at, mask=inside)  # BUG layer_norm
    tl.store(out + row * columns + at, result, mask=inside)


@triton.jit
def attention(q, k, v, out, length, scale, BLOCK: tl.constexpr, HEAD: tl.constexpr):
    rows, dims = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), tl.arange(0, HEAD)
    head = tl.program_id(1) * length * HEAD
    query = tl.load(q + head + rows[:, None] * HEAD + dims[None, :], mask=rows[:, None] < length, other=0.0)
    best = tl.full((BLOCK,), -float("inf"), tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)
    result = tl.zeros((BLOCK, HEAD), tl.float32)
    for start in range(0, length, BLOCK):
        keys = start + tl.arange(0, BLOCK)
        key = tl.load(k + head + keys[None, :] * HEAD + dims[:, None], mask=keys[None, :] < length, other=0.0)
        scores = tl.where(keys[None, :] < length, tl.dot(query, key) * scale, -float("inf"))
        top = tl.maximum(best, tl.max(scores, axis=1))
        powers = tl.exp(scores - top[:, None])
        value = tl.load(v + head + keys[:, None] * HEAD + dims[None, :], mask=keys[:, None] < length, other=0.0)
        faded = tl.exp(best - top)
        result = result * faded[:, None] + tl.dot(powers.to(tl.float16), value)
        total = total * faded + tl.sum(powers, axis=1)
        best = top
    result = (result / total[:, None]).to(tl.float16)
    tl.store(out + head + rows[:, None] * HEAD + dims[None, :], result, mask=rows[:, None] < length)  # BUG attention


@triton.jit
def dropout(x, out, n, p, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + at, mask=at < n)
    kept = tl.rand(seed, at) > p
    tl.store(out + at, tl.where(kept, values / (1 - p), 0.0), mask=at < n)  # BUG dropout


@triton.jit
def grouped_matmul(a, b, c, firsts, K, N, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    group = tl.program_id(0)
    first, last = tl.load(firsts + group), tl.load(firsts + group + 1)  # BUG grouped_matmul
    columns, depth = tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    for start in range(first, last, BM):
        rows = start + tl.arange(0, BM)
        sums = tl.zeros((BM, BN), dtype=tl.float32)
        for k in range(0, K, BK):
            left = tl.load(a + rows[:, None] * K + (k + depth)[None, :], mask=rows[:, None] < last, other=0.0)
            right = tl.load(b + group * K * N + (k + depth)[:, None] * N + columns[None, :])
            sums += tl.dot(left, right)
        tl.store(c + rows[:, None] * N + columns[None, :], sums.to(tl.float16), mask=rows[:, None] < last)


@triton.jit
def gather(table, indices, out, n, width, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    index = tl.load(indices + row)
    values = tl.load(table + index * width + at, mask=at < width)  # BUG gather
    tl.store(out + row * width + at, values, mask=at < width)


@triton.jit
def histogram(values, counts, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(values + at, mask=at < n, other=0)
    tl.atomic_add(counts + value, 1, mask=at < n)  # BUG histogram


@triton.jit
def transpose(x, out, M, N, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    values = tl.load(x + rows[:, None] * N + columns[None, :], mask=inside)
    tl.store(out + columns[None, :] * M + rows[:, None], values, mask=inside)  # BUG transpose


# Types of the parameters, and constants, for a compilation without tensors.
SIGNATURES = {
    "add": ("*fp32 *fp32 *fp32 i32", {"BLOCK": 1024}),
    "softmax": ("*fp32 *fp32 i32 i32", {"BLOCK": 1024}),
    "matmul": ("*fp16 *fp16 *fp16 i32 i32 i32", {"BM": 64, "BN": 64, "BK": 32}),
    "layer_norm": ("*fp32 *fp32 *fp32 *fp32 i32 fp32", {"BLOCK": 1024}),
    "attention": ("*fp16 *fp16 *fp16 *fp16 i32 fp32", {"BLOCK": 64, "HEAD": 64}),
    "dropout": ("*fp32 *fp32 i32 fp32 i32", {"BLOCK": 1024}),
    "grouped_matmul": ("*fp16 *fp16 *fp16 *i32 i32 i32", {"BM": 32, "BN": 64, "BK": 32}),
    "gather": ("*fp32 *i32 *fp32 i32 i32", {"BLOCK": 256}),
    "histogram": ("*i32 *i32 i32", {"BLOCK": 1024}),
    "transpose": ("*fp32 *fp32 i32 i32", {"BLOCK": 32}),
}


def compile_for(name, architecture):
    """Compiles without a GPU. Returns Triton's kernel, whose asm has all stages."""
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
    function = globals()[name]
    types, constants = SIGNATURES[name]
    parameters = [parameter for parameter in function.arg_names if parameter not in constants]
    signature = dict(zip(parameters, types.split()))
    signature.update({constant: "constexpr" for constant in constants})
    source = ASTSource(fn=function, signature=signature,
                       constexprs={(function.arg_names.index(c),): value for c, value in constants.items()})
    return triton.compile(source, target=GPUTarget("cuda", architecture, 32))
