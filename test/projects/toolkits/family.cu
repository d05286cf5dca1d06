/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// An instruction that GPUs of one family have, and sm_100 in its general form has not.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000 && !defined(__CUDA_ARCH_FAMILY_SPECIFIC__) && !defined(FAMILY)
#error the family has no macro
#endif

__global__ void order(int *value) {
#if FAMILY || (defined(__CUDA_ARCH_FAMILY_SPECIFIC__) && !defined(FAMILY))
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
#endif
  *value = 1;
}
