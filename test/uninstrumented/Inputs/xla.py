"""Assembles PTX as XLA does, by the ptxas of the folder that JAX or XLA's flags name: xla.py PTX OUTPUT."""
import os
import re
import subprocess
import sys

import jax

flag = re.search(r"--xla_gpu_cuda_data_dir=(\S+)", os.environ.get("XLA_FLAGS", ""))
print("flags: %s, CUDA_ROOT: %s" % (os.environ.get("XLA_FLAGS", "").split("=")[0], os.environ.get("CUDA_ROOT")))
for folder in {jax.cuda_path, flag and flag[1]} - {None}:
    ptxas = os.path.join(folder, "bin", "ptxas")
    print(subprocess.run([ptxas, "--version"], stdout=subprocess.PIPE, text=True).stdout.splitlines()[0])
    subprocess.run([ptxas, sys.argv[1], "-o", sys.argv[2], "-arch=sm_90a", "--warn-on-spills", "-v"], check=True)
    with open(sys.argv[2], "rb") as file:
        print("checks" if b"__gasan_params" in file.read() else "no checks")
