# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""AddressSanitizer for CUDA programs that were not built with it: the command `gasan`, and `python -m gasan`."""
import os
import sys

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "gasan")


def run_ptx(ptx, name, grid, block, args=(), shared=0):
    """Runs a kernel of PTX on the CPU device, with checks; gasan.ptx.run_ptx has the details."""
    from gasan import ptx as runner
    runner.run_ptx(ptx, name, grid, block, args, shared)


def main():
    """Runs the command `gasan`."""
    os.execv(PROGRAM, ["gasan"] + sys.argv[1:])
