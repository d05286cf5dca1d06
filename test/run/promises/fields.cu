// A program breaks a promise about the index of a field's element. The optimiser must not drop the field's check by it.
// RUN: %gasan -O1 %s -o %t.O1
// RUN: not %run %t.O1 2>&1 | FileCheck %s
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
struct Record {
  int head[8], tail[8];
};

__device__ void set(Record *record, int i) {
  // CHECK: ERROR: AddressSanitizer: intra-object-overflow
  // CHECK-NEXT: WRITE of size 4
  // CHECK-NEXT: #0 set(Record*, int) {{.*}}fields.cu:[[#@LINE+2]]:
  // CHECK: is located 4 bytes after field 'Record::head' defined in '{{.*}}fields.cu:9' of size 32
  record->head[i] = 1;
}

__global__ void fill(Record *record, int i) {
  __builtin_assume(i >= 0 && i < 8);
  set(record, i);
}

int main() {
  Record *record;
  cudaMalloc(&record, sizeof(Record));
#ifdef FIXED
  fill<<<1, 1>>>(record, 7);
#else
  fill<<<1, 1>>>(record, 9);
#endif
  return cudaDeviceSynchronize() != cudaSuccess;
}
