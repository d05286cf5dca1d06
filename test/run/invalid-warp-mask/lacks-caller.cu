// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 >/dev/null | %golden | FileCheck %s
// RUN: %options=halt_on_error=0 %exit=16 %t 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: %gasan -O0 %s -o %t.unoptimised
// RUN: not %run %t.unoptimised 2>&1 | FileCheck %s
// RUN: %options=halt_on_error=0 %exit=16 %t.unoptimised 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=shadow %s -o %t.shadow
// RUN: not %run %t.shadow 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// All lanes of a warp call an operation with a mask that lacks half of them, in one launch for each operation. In a
// launch after a report, the lanes in the mask get right results.
#ifdef FIXED
constexpr unsigned Lanes = 0xffffffff;
#else
constexpr unsigned Lanes = 0x0000ffff;
#endif

enum Operation {
  Ballot,
  Any,
  All,
  Shuffle,
  ShuffleUp,
  ShuffleDown,
  ShuffleXor,
  Sync,
  MatchAny,
  MatchAll,
  Add,
  Min,
  UnsignedMax,
  And,
  Or,
  Xor,
  Operations
};

template <int Chosen>
__global__ void call(unsigned mask, int *values) {
  int lane = threadIdx.x % 32, value = 0, same;
  if constexpr (Chosen == Ballot)
    // CHECK: ERROR: AddressSanitizer: invalid-warp-mask on {{.*}} device 0: lane 16 calls __ballot_sync
    // CHECK-SAME: {{^}} with the mask 0x0000ffff, which does not contain this lane
    // CHECK-NEXT: CALL by device thread (16,0,0) block (0,0,0) lane 16 (and 63 more threads of this kernel)
    // CHECK: #{{[0-9]+}} {{.*}}call<0>(unsigned int, int*) {{.*}}lacks-caller.cu:[[#@LINE+1]]:
    value = __ballot_sync(mask, lane & 1);
  // ALL: lane 16 calls __any_sync with the mask 0x0000ffff
  if constexpr (Chosen == Any)
    // ALL: #{{[0-9]+}} {{.*}}call<1>(unsigned int, int*) {{.*}}lacks-caller.cu:[[#@LINE+1]]:
    value = __any_sync(mask, lane & 1);
  // ALL: lane 16 calls __all_sync with
  if constexpr (Chosen == All)
    // ALL: #{{[0-9]+}} {{.*}}call<2>(unsigned int, int*) {{.*}}lacks-caller.cu:[[#@LINE+1]]:
    value = __all_sync(mask, lane & 1);
  // ALL: lane 16 calls __shfl_sync with
  if constexpr (Chosen == Shuffle)
    // ALL: #{{[0-9]+}} {{.*}}call<3>(unsigned int, int*) {{.*}}lacks-caller.cu:[[#@LINE+1]]:
    value = __shfl_sync(mask, lane, 3);
  // ALL: lane 16 calls __shfl_up_sync with
  if constexpr (Chosen == ShuffleUp)
    // ALL: #{{[0-9]+}} {{.*}}call<4>(unsigned int, int*) {{.*}}lacks-caller.cu:[[#@LINE+1]]:
    value = (int)__shfl_up_sync(mask, (float)lane, 1);
  // ALL: lane 16 calls __shfl_down_sync with
  if constexpr (Chosen == ShuffleDown)
    // ALL: #{{[0-9]+}} {{.*}}call<5>(unsigned int, int*) {{.*}}lacks-caller.cu:[[#@LINE+1]]:
    value = (int)__shfl_down_sync(mask, (double)lane, 1);
  // ALL: lane 16 calls __shfl_xor_sync with
  if constexpr (Chosen == ShuffleXor)
    // ALL: #{{[0-9]+}} {{.*}}call<6>(unsigned int, int*) {{.*}}lacks-caller.cu:[[#@LINE+1]]:
    value = __shfl_xor_sync(mask, lane, 1);
  // ALL: lane 16 calls __syncwarp with
  if constexpr (Chosen == Sync)
    // ALL: #{{[0-9]+}} {{.*}}call<7>(unsigned int, int*) {{.*}}lacks-caller.cu:[[#@LINE+1]]:
    __syncwarp(mask);
  // ALL: lane 16 calls __match_any_sync with
  if constexpr (Chosen == MatchAny)
    // ALL: #{{[0-9]+}} {{.*}}call<8>(unsigned int, int*) {{.*}}lacks-caller.cu:[[#@LINE+1]]:
    value = __match_any_sync(mask, lane / 4);
  // ALL: lane 16 calls __match_all_sync with
  if constexpr (Chosen == MatchAll)
    // ALL: #{{[0-9]+}} {{.*}}call<9>(unsigned int, int*) {{.*}}lacks-caller.cu:[[#@LINE+1]]:
    value = __match_all_sync(mask, 5, &same);
  // ALL: lane 16 calls __reduce_add_sync with
  if constexpr (Chosen == Add)
    // ALL: #{{[0-9]+}} {{.*}}call<10>(unsigned int, int*) {{.*}}lacks-caller.cu:[[#@LINE+1]]:
    value = __reduce_add_sync(mask, lane);
  // ALL: lane 16 calls __reduce_min_sync with
  if constexpr (Chosen == Min)
    // ALL: #{{[0-9]+}} {{.*}}call<11>(unsigned int, int*) {{.*}}lacks-caller.cu:[[#@LINE+1]]:
    value = __reduce_min_sync(mask, lane);
  // ALL: lane 16 calls __reduce_max_sync with
  if constexpr (Chosen == UnsignedMax)
    // ALL: #{{[0-9]+}} {{.*}}call<12>(unsigned int, int*) {{.*}}lacks-caller.cu:[[#@LINE+1]]:
    value = __reduce_max_sync(mask, (unsigned)lane);
  // ALL: lane 16 calls __reduce_and_sync with
  if constexpr (Chosen == And)
    // ALL: #{{[0-9]+}} {{.*}}call<13>(unsigned int, int*) {{.*}}lacks-caller.cu:[[#@LINE+1]]:
    value = __reduce_and_sync(mask, (unsigned)lane);
  // ALL: lane 16 calls __reduce_or_sync with
  if constexpr (Chosen == Or)
    // ALL: #{{[0-9]+}} {{.*}}call<14>(unsigned int, int*) {{.*}}lacks-caller.cu:[[#@LINE+1]]:
    value = __reduce_or_sync(mask, (unsigned)lane);
  // ALL: lane 16 calls __reduce_xor_sync with
  if constexpr (Chosen == Xor)
    // ALL: #{{[0-9]+}} {{.*}}call<15>(unsigned int, int*) {{.*}}lacks-caller.cu:[[#@LINE+1]]:
    value = __reduce_xor_sync(mask, (unsigned)lane);
  values[threadIdx.x] = value | 1;
}

template <int Chosen>
int launch(int *values) {
  cudaMemset(values, 0, 64 * sizeof(int));
  // CHECK: launched here by host thread T0:
  // CHECK: SUMMARY: AddressSanitizer: invalid-warp-mask {{.*}}lacks-caller.cu:{{[0-9]+}}:{{[0-9]+}}
  // CHECK-SAME: {{^}} in void call<0>(unsigned int, int*)
  call<Chosen><<<2, 64>>>(Lanes, values);
  int host[64] = {}, reached = 0;
  if (cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess)
    return 100;
  for (int value : host)
    reached += value != 0;
  int wrong = reached < 32; // the lanes outside of the mask have ended at the report
  if constexpr (Chosen + 1 < Operations)
    wrong += launch<Chosen + 1>(values);
  return wrong;
}

int main() {
  int *values;
  cudaMalloc(&values, 64 * sizeof(int));
  int wrong = launch<0>(values);
  cudaFree(values);
  if (wrong)
    return 100 + wrong;
#ifdef FIXED
  return 0;
#else
  return Operations;
#endif
}
