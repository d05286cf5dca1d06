#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The actions that Bazel runs for a cuda_library(rdc = True) of rules_cuda and a cc_binary: from the workspace's root,
# with relative paths and an empty environment. actions.sh NVCC CUDA OUT
set -eu
nvcc=$1 cuda=$2 out=$3
action() { env - PATH=/bin:/usr/bin "$@"; }
objects=$out/_objs/kernels
mkdir -p "$objects"
for name in sums table; do
  action "$nvcc" -x cu -Xcompiler -fPIC -ccbin /usr/bin/gcc -I . -I "$out" -isystem "$cuda/include" -U_FORTIFY_SOURCE \
    -Xcompiler -fstack-protector -Xcompiler -Wall -Xcompiler -fno-omit-frame-pointer -Xcompiler -fno-canonical-system-headers \
    -Xcompiler -Wno-builtin-macro-redefined '-D__DATE__="redacted"' '-D__TIME__="redacted"' -std=c++17 -O2 -g \
    -gencode arch=compute_90,code=[compute_90,sm_90] -rdc true -c $name.cu -o $objects/$name.rdc.pic.o
done
action "$nvcc" -dlink -Xcompiler -fPIC -ccbin /usr/bin/gcc -gencode arch=compute_90,code=[compute_90,sm_90] \
  $objects/sums.rdc.pic.o $objects/table.rdc.pic.o -o $objects/_dlink.rdc.pic.o
action ar rcsD $out/libkernels.pic.a $objects/sums.rdc.pic.o $objects/table.rdc.pic.o $objects/_dlink.rdc.pic.o
action g++ -U_FORTIFY_SOURCE -fstack-protector -Wall -fno-canonical-system-headers -iquote . -isystem "$cuda/include" -O2 \
  -fPIC -c main.cc -o $out/main.pic.o
action g++ -o $out/sums $out/main.pic.o -Wl,-whole-archive $out/libkernels.pic.a -Wl,-no-whole-archive \
  -L"$cuda/lib64" -lcudart -ldl -lpthread -lrt -Wl,-no-as-needed -Wl,-z,relro,-z,now -pass-exit-codes -lm
