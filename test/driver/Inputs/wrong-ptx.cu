__global__ void kernel(unsigned *out) {
  unsigned sum;
  asm("add.sum.u32 %0, %1, 1;" : "=r"(sum) : "r"(out[0]));
  out[1] = sum;
}
