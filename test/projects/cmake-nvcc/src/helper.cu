/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
__device__ float half_of(float value) {
  return value / 2;
}
