// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %options=halt_on_error=0 %exit=4 %t 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// Masks in inline PTX. The check respects a guard: lanes that do not execute the operation need not be in its mask.
#ifdef FIXED
constexpr unsigned Lanes = 0xffffffff;
#else
constexpr unsigned Lanes = 0xff00ffff;
#endif

__global__ void vote(unsigned mask, unsigned *values) {
  unsigned ballot = 0, lane = threadIdx.x % 32;
  asm volatile("{ .reg .pred odd; .reg .b32 bit; and.b32 bit, %1, 1; setp.ne.u32 odd, bit, 0;\n"
               "  vote.sync.ballot.b32 %0, odd, %2; }"
               : "=r"(ballot)
               : "r"(lane), "r"(mask));
  // CHECK: ERROR: AddressSanitizer: invalid-warp-mask on {{.*}}: lane 16 calls __ballot_sync with the mask 0xff00ffff,
  // CHECK-SAME: {{^}} which does not contain this lane
  // CHECK: #0 vote(unsigned int, unsigned int*) {{.*}}inline-ptx.cu:[[#@LINE-6]]:
  values[threadIdx.x] = ballot;
}

__global__ void shuffle(unsigned mask, unsigned *values) {
  unsigned value = 0, lane = threadIdx.x % 32, low = lane < 16;
  asm volatile("{ .reg .pred low; setp.ne.u32 low, %3, 0;\n"
               "  @low shfl.sync.down.b32 %0, %1, 1, 31, %2; }"
               : "+r"(value)
               : "r"(lane), "r"(0x0000ffff), "r"(low));
  asm volatile("redux.sync.add.u32 %0, %1, %2;" : "=r"(value) : "r"(value), "r"(mask));
  // ALL: lane 16 calls __ballot_sync with
  // ALL: lane 16 calls __reduce_add_sync with the mask 0xff00ffff, which does not contain this lane
  // ALL: #0 shuffle(unsigned int, unsigned int*) {{.*}}inline-ptx.cu:[[#@LINE-3]]:
  values[threadIdx.x] = value;
}

int main() {
  unsigned *values, ballot = 0, sum = 0;
  cudaMalloc(&values, 64 * sizeof *values);
  vote<<<1, 64>>>(Lanes, values);
  if (cudaMemcpy(&ballot, values, sizeof ballot, cudaMemcpyDeviceToHost) != cudaSuccess ||
      ballot != (0xaaaaaaaa & Lanes))
    return 2;
  shuffle<<<1, 64>>>(Lanes, values);
  // Lane 15 reads lane 16, which does not take part: the value is undefined.
  if (cudaMemcpy(&sum, values, sizeof sum, cudaMemcpyDeviceToHost) != cudaSuccess || sum < 1 + 14 * 15 / 2)
    return 3;
  cudaFree(values);
#ifdef FIXED
  return 0;
#else
  return 4;
#endif
}
