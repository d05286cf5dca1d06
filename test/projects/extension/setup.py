# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds module.cu as PyTorch's extensions are built: CUDA_HOME/bin/nvcc compiles, CXX links. setup.py FOLDER"""
import os
import subprocess
import sys

folder = sys.argv[1]
source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "module.cu")
nvcc = os.path.join(os.environ["CUDA_HOME"], "bin", "nvcc")
version = subprocess.run([nvcc, "--version"], check=True, stdout=subprocess.PIPE, text=True).stdout
assert "release 1" in version, version
module = os.path.join(folder, "module.cuda.o")
subprocess.run("%s -DTORCH_EXTENSION_NAME=module -D_GLIBCXX_USE_CXX11_ABI=1 -D__CUDA_NO_HALF_OPERATORS__ "
               "--expt-relaxed-constexpr -gencode=arch=compute_90,code=compute_90 -gencode=arch=compute_90,code=sm_90 "
               "--compiler-options \"'-fPIC'\" -std=c++17 -c %s -o %s" % (nvcc, source, module), shell=True, check=True)
subprocess.run([os.environ.get("CXX", "c++"), module, "-shared", "-L" + os.path.join(os.environ["CUDA_HOME"], "lib64"),
                "-lcudart", "-o", os.path.join(folder, "module.so")], check=True)
