// RUN: %gasan -fsanitize-gpu-address-mode=bst -O0 %s -o %t.O0
// RUN: not %run %t.O0 2>&1 | FileCheck %s
// RUN: %gasan -fsanitize-gpu-address-mode=bst -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -fsanitize-gpu-address-mode=bst -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// A kernel passes an element of an array in a struct by value; one is past the end. The other subscripts are legal: an
// array at a struct's end may be longer, a union has several sizes, and taking an address is no access.
struct Tail {
  int count;
  float values[1];
};
struct Record {
  float2 head;
  float2 points[10];
  union {
    int narrow[2];
    int wide[6];
  };
  int rows[2][3];
  Tail tail;
};

__device__ float length(float2 point) {
  return point.x * point.x + point.y * point.y;
}

__global__ void sum(Record *record, float *result, int count, int extra) {
  for (int i = 0; i < extra; ++i)
    record->tail.values[i] = i;
  record->narrow[extra + 1] = 1;
  record->rows[0][extra] = 2;
  const float2 *end = &record->points[count];
  for (const float2 *point = record->points; point != end; ++point)
    *result += point->x;
  // CHECK: ERROR: AddressSanitizer: intra-object-overflow
  // CHECK-NEXT: READ of size 8 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
  // CHECK-NEXT: #0 sum(Record*, float*, int, int) {{.*}}elements.cu:[[#@LINE+2]]:
  // CHECK: is located 0 bytes after field 'Record::points' defined in '{{.*}}elements.cu:15' of size 80
  *result += length(record->points[count]);
}

int main() {
  const int extra = 4;
  Record *record;
  float *result;
  cudaMalloc(&record, sizeof(Record) + (extra - 1) * sizeof(float));
  cudaMalloc(&result, sizeof(float));
  cudaMemset(record, 0, sizeof(Record));
  cudaMemset(result, 0, sizeof(float));
#ifdef FIXED
  sum<<<1, 1>>>(record, result, 9, extra);
#else
  sum<<<1, 1>>>(record, result, 10, extra);
#endif
  float sum = 1;
  cudaMemcpy(&sum, result, sizeof sum, cudaMemcpyDeviceToHost);
  cudaFree(record);
  cudaFree(result);
  return sum != 0;
}
