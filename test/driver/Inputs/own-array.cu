__global__ void count(const unsigned *digits, unsigned *counts, unsigned *found) {
  unsigned next[8];
  for (unsigned i = 0; i < 8; i++)
    next[i] = counts[i];
  for (unsigned i = 0; i < 8; i++)
    found[next[digits[threadIdx.x * 8 + i] & 7]++] = i;
}
