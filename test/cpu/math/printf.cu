// Device printf formats as the host's printf does: every conversion, flag, width, precision and size of the CUDA C++
// Programming Guide (no %zu, %hhd or %.*f). It returns the number of its arguments.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"

// Both sides print the same lines, without pointers, which differ.
#define LINES                                                                                                          \
  printf("%d|%i|%u|%x|%X|%o|%c|%%\n", n, -n, unsigned(n), n, 0xBEEF, 0755, 'c');                                       \
  printf("%5d|%-5d|%05d|%+d|% d|%.4d|%#x|%#o\n", 42, 42, 42, 42, 42, 42, 42, 42);                                      \
  printf("%ld|%lld|%lu|%llu|%lx|%llX\n", -1L, -1234567890123456789LL, 1UL << 63, ~0ULL, 255L, 0xFEDCBA9876543210ULL);  \
  printf("%hd|%hu|%hx\n", (short)-5, (unsigned short)65535, (short)-1);                                                \
  printf("%f|%.2f|%10.3f|%-10.3f|%+e|%.0e|%g|%G|%a|%A\n", x, x, x, x, x, x, x, x * 1e20, x, x);                        \
  printf("%5.3f|%-8s|%8s|%.2s|%s\n", f, "left", "right", "cut", "plain");                                              \
  printf("%*d|%-*d|%*.2f\n", 6, 7, 6, 7, 9, x);                                                                        \
  printf("%f|%f|%f|%e|%g\n", zero / zero != zero / zero ? 0.5 : 1.5, 1 / zero, -1 / zero, -0.0 * x, 5e-324 + zero);    \
  printf("%d %s %f %lld %c %u %x %g %d %s\n", 1, "two", 3.0, 4LL, '5', 6u, 7, 8.0, 9, "ten");                          \
  printf("no arguments, a lone %% and a tab\t.\n");                                                                    \
  printf("%p|%20p\n", (void *)0x1234abcd, (void *)0x10);                                                               \
  printf("%s\n", "");

__global__ void print(int n, double x, float f, double zero, int *lengths) {
  LINES
  lengths[0] = printf("%d and %d\n", 1, 2); // the number of arguments
  lengths[1] = printf("none\n");
}

// Each thread's line is printed as a whole.
__global__ void printMany(int base) {
  printf("thread %d of %s %g\n", base + int(threadIdx.x), "many", threadIdx.x / 2.0);
}

int main() {
  int n = 123456, *lengths, have[2];
  double x = 3.14159265358979, zero = 0;
  float f = -2.71828f;
  CUDA(cudaMalloc(&lengths, sizeof have));
  printf("host\n");
  LINES
  printf("device\n");
  fflush(stdout);
  print<<<1, 1>>>(n, x, f, zero, lengths);
  CUDA(cudaMemcpy(have, lengths, sizeof have, cudaMemcpyDeviceToHost));
  EXPECT(have[0] == 2 && have[1] == 0, "printf returned %d %d", have[0], have[1]);
  for (int base = 0; base < 6; ++base) { // one thread at a time: CUDA defines this order
    printMany<<<1, 1>>>(base);
    CUDA(cudaDeviceSynchronize());
  }
  CUDA(cudaFree(lengths));
  fflush(stdout);
  return passed();
}
