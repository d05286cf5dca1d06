# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Where the tools are. setup.sh finds or installs them and writes their places into the cache folder's toolchain.cmake;
# each can be overridden by -D.
set(GASAN_CACHE "$ENV{GASAN_CACHE}" CACHE PATH "Folder with what setup.sh fetched")
if(NOT GASAN_CACHE)
  set(GASAN_CACHE "$ENV{HOME}/.cache/gasan" CACHE PATH "Folder with what setup.sh fetched" FORCE)
endif()
include(${GASAN_CACHE}/toolchain.cmake OPTIONAL)

set(GASAN_LLVM_ROOT "/usr/lib/llvm-22" CACHE PATH "LLVM 22 installation")
set(LLVM_DIR "${GASAN_LLVM_ROOT}/lib/cmake/llvm" CACHE PATH "")
find_package(LLVM 22.1 REQUIRED CONFIG)
set(GASAN_CLANG "${GASAN_LLVM_ROOT}/bin/clang")

# Sets `result` to true if the folder has CUDA 13, with whose headers the runtime is compiled.
function(gasan_has_cuda13 folder result)
  set(version "")
  if(EXISTS "${folder}/include/cuda.h")
    file(STRINGS "${folder}/include/cuda.h" version REGEX "^#define CUDA_VERSION 13")
  endif()
  if(version)
    set(${result} TRUE PARENT_SCOPE)
  else()
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()
gasan_has_cuda13("$ENV{CUDA_HOME}" gasan_cuda_home)
gasan_has_cuda13(/usr/local/cuda gasan_cuda_local)

# GASAN_HIDE_CUDA=1 (as for setup.sh): pretend that the machine has no toolkit of its own.
if(NOT "$ENV{GASAN_HIDE_CUDA}" STREQUAL "" AND DEFINED GASAN_CUDA_FROM_SETUP)
  set(gasan_cuda_default "${GASAN_CUDA_FROM_SETUP}")
elseif(gasan_cuda_home)
  set(gasan_cuda_default "$ENV{CUDA_HOME}")
elseif(gasan_cuda_local)
  set(gasan_cuda_default /usr/local/cuda)
elseif(DEFINED GASAN_CUDA_FROM_SETUP)
  set(gasan_cuda_default "${GASAN_CUDA_FROM_SETUP}")
else()
  set(gasan_cuda_default "")
endif()
set(GASAN_CUDA_PATH "${gasan_cuda_default}" CACHE PATH "CUDA toolkit (headers, ptxas, fatbinary, libdevice)")
if(NOT EXISTS "${GASAN_CUDA_PATH}/include/cuda.h")
  message(FATAL_ERROR "gasan: no CUDA 13 toolkit found. Run ./setup.sh, which installs one into ${GASAN_CACHE}, or set CUDA_HOME.")
endif()

set(GASAN_COMPILER_RT "${GASAN_CACHE}/llvm-22.1.8/compiler-rt" CACHE PATH "compiler-rt's sources (sanitizer_common)")
set(GASAN_GREATEST "${GASAN_CACHE}/greatest-1.3.1" CACHE PATH "folder of greatest.h")
