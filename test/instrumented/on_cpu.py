#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Triton kernels of triton_kernels.py on the CPU device, without a GPU: correct and with a bug.

  PYTHONPATH=build/python on_cpu.py [NAME...]     needs Triton and numpy; takes a minute

Compiles for sm_80, whose mma the CPU device has. Prints a line for each kernel; the exit code is 1 if a correct version
is not silent and right, or a bug is not reported in its line."""
import os
import re
import subprocess
import sys
import tempfile

import numpy
import run
import triton_kernels

THREADS, SHARED = 128, 65536


def inputs(name, bug):
    """Returns grid, arguments, and a function that returns the largest error of the result."""
    random = numpy.random.default_rng(1)

    def single(*shape):
        return random.random(shape).astype("f4")

    def half(*shape):
        return (random.random(shape) - 0.5).astype("f2")

    def zeros(*shape, type="f4"):
        return numpy.zeros(shape, type)

    def softmax(x):
        powers = numpy.exp(x - x.max(-1, keepdims=True))
        return powers / powers.sum(-1, keepdims=True)

    def product(a, b):
        return a.astype("f4") @ b.astype("f4")

    if name == "add":
        x, y, out = single(4096), single(4096), zeros(4096)
        return 5, [x, y, out, 4096 + 16 * bug], lambda: out - (x + y)
    if name == "softmax":
        x, out = single(8, 1000), zeros(8, 1000)
        return 8 + bug, [x, out, 1000, 1000], lambda: out - softmax(x)
    if name == "matmul":
        a, b, c = half(128, 64), half(64, 128), zeros(128, 128, type="f2")
        return (2 + bug, 2), [a, b, c, 128 + 64 * bug, 128, 64], lambda: c - product(a, b)
    if name == "layer_norm":
        x, weight, bias, out = single(4, 1000), single(1000 - 8 * bug), single(1000), zeros(4, 1000)
        return 4, [x, weight, bias, out, 1000, numpy.float32(1e-5)], lambda: out - (
            (x - x.mean(1, keepdims=True)) / numpy.sqrt(x.var(1, keepdims=True) + 1e-5) * weight + bias)
    if name == "attention":
        q, k, v, out = half(2, 100, 64), half(2, 100, 64), half(2, 100, 64), zeros(2 - bug, 100, 64, type="f2")
        return (2, 2), [q, k, v, out, 100, numpy.float32(0.125)], lambda: out - product(
            softmax(product(q, k.transpose(0, 2, 1)) * 0.125), v)
    if name == "dropout":
        x, out = single(4096), zeros(4096 - 64 * bug)
        return 4, [x, out, 4096, numpy.float32(0.5), 7], lambda: out - numpy.where(out > 0, 2 * x, 0)
    if name == "grouped_matmul":
        a, b, c = half(128, 64), half(4, 64, 64), zeros(128, 64, type="f2")
        firsts = numpy.arange(0, 129, 32, dtype="i4")[:5 - bug].copy()
        return (4, 1), [a, b, c, firsts, 64, 64], lambda: c - product(a.reshape(4, 32, 64), b).reshape(128, 64)
    if name == "gather":
        table, out = single(10, 200), zeros(50, 200)
        indices = (numpy.arange(50) % 10).astype("i4")
        indices[7] += 3 * bug
        return 50, [table, indices, out, 50, 200], lambda: out - table[indices]
    if name == "histogram":
        values, counts = (numpy.arange(4096) % 256).astype("i4"), zeros(256, type="i4")
        values[123] += 256 * bug
        return 4, [values, counts, 4096], lambda: counts - 16
    x, out = single(50, 40), zeros(40 - bug, 50)
    return (2, 2), [x, out, 50, 40], lambda: out - x.T


def run_one(path, name, bug):
    import gasan
    grid, arguments, error = inputs(name, bug)
    with open(path) as file:
        gasan.run_ptx(file.read(), name, grid, THREADS, arguments, SHARED)
    print("largest error %.2g" % abs(error()).max())


def examine(name, folder):
    path = os.path.join(folder, name + ".ptx")
    with open(path, "w") as file:
        file.write(triton_kernels.compile_for(name, 80).asm["ptx"])
    done = [subprocess.run([sys.executable, __file__, "--one", path, name, bug], capture_output=True, text=True)
            for bug in "01"]
    error = re.search("largest error (.*)", done[0].stdout)
    frame = re.search(r"#0 .*:(\d+):\d+$", done[1].stderr, re.MULTILINE)
    right = done[0].returncode == 0 and not done[0].stderr and error and float(error.group(1)) < 0.01
    found = done[1].returncode == 1 and frame and int(frame.group(1)) == run.line_of("triton", name)
    print("%-15s correct: %s; bug: %s" % (
        name, "silent, " + error.group(0) if right else "FAILED\n" + done[0].stdout + done[0].stderr,
        "reported in its line" if found else "FAILED\n" + done[1].stderr), flush=True)
    return right and found


def main():
    if sys.argv[1:2] == ["--one"]:
        return run_one(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    with tempfile.TemporaryDirectory() as folder:
        results = [examine(name, folder) for name in sys.argv[1:] or triton_kernels.SIGNATURES]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
