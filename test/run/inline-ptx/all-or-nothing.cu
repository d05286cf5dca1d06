// RUN: %gasan -O2 --offload-arch=sm_80 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// Shadow mode knows nothing of shared memory.
// RUN: %gasan -O2 --offload-arch=sm_80 -fsanitize-gpu-address-mode=bst %s -o %t.bst
// RUN: not %run %t.bst mask 2>&1 | FileCheck %s --check-prefix=MASK
// RUN: %gasan -O2 --offload-arch=sm_80 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// A pipeline copies tiles to its stages, in pieces of 16 bytes or none, as a condition or a bit of a mask decides. The
// condition lets one piece too many through, or (second kernel) the stage leaves its ring.
#ifdef FIXED
constexpr int kMore = 0, kLast = 2;
#else
constexpr int kMore = 1, kLast = 3;
#endif

__device__ void copy(unsigned to, const float4 *from, int bytes) {
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow on {{cpu|cuda}} device 0 address [[FAULT:0x[0-9a-f]+]]
  // CHECK-NEXT: READ of size 16 at [[FAULT]] by device thread (5,0,0) block (0,0,0) lane 5
  // CHECK-NEXT: #0 copy(unsigned int, float4 const*, int) {{.*}}all-or-nothing.cu:[[#@LINE+5]]:
  // MASK: ERROR: AddressSanitizer: shared-buffer-overflow on {{cpu|cuda}} device 0
  // MASK-NEXT: WRITE of size 16 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0
  // MASK-SAME: {{^}} (and 7 more threads of this kernel)
  // MASK-NEXT: #0 copy(unsigned int, float4 const*, int) {{.*}}all-or-nothing.cu:[[#@LINE+1]]:
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
}

__global__ void copy_tiles(const float4 *from, float4 *to, int count, int tiles) {
  __shared__ float4 ring[3][8];
  int stage = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    const int i = tile * 8 + threadIdx.x;
    copy((unsigned)__cvta_generic_to_shared(&ring[stage][threadIdx.x]), from + i, i < count + kMore ? 16 : 0);
    asm volatile("cp.async.wait_all;" ::: "memory");
    // CHECK: [[FAULT]] is located 0 bytes after 336-byte region
    to[i] = ring[stage][threadIdx.x];
    stage = stage == 2 ? 0 : stage + 1;
  }
}

__global__ void copy_by_mask(const float4 *from, float4 *to, int count, int tiles) {
  __shared__ float4 ring[3][8];
  int stage = 0, place = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    const int i = tile * 8 + threadIdx.x;
    const unsigned mask = (i < count) | (i < 16) << 1;
    copy((unsigned)__cvta_generic_to_shared(&ring[0][place + threadIdx.x]), from + i, (mask & 1) << 4);
    asm volatile("cp.async.wait_all;" ::: "memory");
    to[i] = ring[0][place + threadIdx.x];
    place += stage == kLast ? -8 * kLast : 8;
    stage = stage == kLast ? 0 : stage + 1;
  }
}

int main(int argc, char **) {
  float4 *from, *to, result[32];
  cudaMalloc(&from, 21 * sizeof(float4));
  cudaMalloc(&to, 32 * sizeof(float4));
  for (int i = 0; i < 21; ++i)
    result[i] = {i + 1.f, 0, 0, 0};
  cudaMemcpy(from, result, 21 * sizeof(float4), cudaMemcpyHostToDevice);
  for (int kind = argc > 1; kind < 2; ++kind) {
    if (kind)
      copy_by_mask<<<1, 8>>>(from, to, 21, 4);
    else
      copy_tiles<<<1, 8>>>(from, to, 21, 4);
    cudaMemcpy(result, to, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; ++i)
      if (result[i].x != (i < 21 ? i + 1 : 0))
        return 3;
  }
  return 0;
}
