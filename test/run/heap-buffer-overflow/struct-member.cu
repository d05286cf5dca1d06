// A kernel writes a member of structs past the end of an array of structs.
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
struct Particle {
  float position[3];
  int kind;
  double charge;
};

__global__ void charge(Particle *particles, int first) {
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
  // CHECK-NEXT: WRITE of size 8 {{.*}} by device thread (2,0,0)
  // CHECK-NEXT: #0 charge(Particle*, int) {{.*}}struct-member.cu:[[#@LINE+1]]:
  particles[first + threadIdx.x].charge = 1.5;
}

int main() {
  Particle *particles;
  cudaMalloc(&particles, 20 * sizeof(Particle));
#ifdef FIXED
  charge<<<1, 4>>>(particles, 16);
#else
  charge<<<1, 3>>>(particles, 18);
#endif
  // CHECK: is located 16 bytes after 480-byte region
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(particles);
  return error != cudaSuccess;
}
