# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the build.ninja that torch.utils.cpp_extension (PyTorch 2.6) writes, and runs ninja. build.py FOLDER

The rules and options are PyTorch's, with a stub of its headers. PYTORCH_NVCC, CUDA_HOME and CXX are its variables.
"""
import os
import subprocess
import sys
import sysconfig

HERE = os.path.dirname(os.path.abspath(__file__))
CUDA = os.environ["CUDA_HOME"]
INCLUDES = (os.path.join(HERE, "torch", "include"), os.path.join(CUDA, "include"), sysconfig.get_paths()["include"])
COMMON = ["-DTORCH_EXTENSION_NAME=relu", "-DTORCH_API_INCLUDE_EXTENSION_H", r'-DPYBIND11_COMPILER_TYPE=\"_gcc\"',
          r'-DPYBIND11_STDLIB=\"_libstdcpp\"', r'-DPYBIND11_BUILD_ABI=\"_cxxabi1017\"']
COMMON += ["-isystem " + path for path in INCLUDES] + ["-D_GLIBCXX_USE_CXX11_ABI=1"]
CXX = COMMON + ["-fPIC", "-std=c++17"]
NVCC = ["-ccbin", os.environ.get("CC", "gcc")] + COMMON + [
    "-D__CUDA_NO_HALF_OPERATORS__", "-D__CUDA_NO_HALF_CONVERSIONS__", "-D__CUDA_NO_BFLOAT16_CONVERSIONS__",
    "-D__CUDA_NO_HALF2_OPERATORS__", "--expt-relaxed-constexpr", "-gencode=arch=compute_90,code=compute_90",
    "-gencode=arch=compute_90,code=sm_90", "--compiler-options '-fPIC'",
    "--compiler-options \"'-fno-strict-aliasing'\"",  # the quotes of its setuptools command
    "-std=c++17"]

RULES = r"""ninja_required_version = 1.3
cxx = {cxx}
nvcc = {nvcc}

cflags = {cflags}
post_cflags =
cuda_cflags = {cuda_cflags}
cuda_post_cflags =
cuda_dlink_post_cflags =
ldflags = -shared -L{cuda}/lib64 -lcudart

rule compile
  command = $cxx -MMD -MF $out.d $cflags -c $in -o $out $post_cflags
  depfile = $out.d
  deps = gcc

rule cuda_compile
  depfile = $out.d
  deps = gcc
  command = $nvcc --generate-dependencies-with-compile --dependency-output $out.d $cuda_cflags -c $in -o $out $
      $cuda_post_cflags

rule link
  command = $cxx $in $ldflags -o $out

build extension.o: compile {here}/extension.cpp
build extension_kernel.cuda.o: cuda_compile {here}/extension_kernel.cu
build relu.so: link extension.o extension_kernel.cuda.o
default relu.so
"""

with open(os.path.join(sys.argv[1], "build.ninja"), "w") as file:
    file.write(RULES.format(cxx=os.environ.get("CXX", "c++"), cuda=CUDA, here=HERE, cflags=" ".join(CXX),
                            nvcc=os.environ.get("PYTORCH_NVCC", os.path.join(CUDA, "bin", "nvcc")),
                            cuda_cflags=" ".join(NVCC)))
subprocess.run(["ninja", "-C", sys.argv[1]], check=True)
