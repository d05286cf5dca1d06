// The formulas of a binary search in an array of a structure that is passed by value. A structure to which the kernel
// writes has no such elements.
// RUN: %gasan -O2 --cuda-device-only -c -fsanitize-gpu-address-print-proofs %s -o %t 2>&1 | FileCheck %s

struct Pieces {
  int begins[8];
};

// CHECK-LABEL: kernel find: {{[0-9]+}} claims, 0 checks in all variants
// CHECK: searches.cu:[[#@LINE+13]]:{{[0-9]+}}: proven at launch if out +
// CHECK-SAME: threadIdx.x) where < from@(0 + (s64(pieces) * 4))
// CHECK-LABEL: kernel changed:
// CHECK: searches.cu:[[#@LINE+17]]:{{[0-9]+}}: proven at launch if out + {{.*}} where < <load in line
extern "C" __global__ void find(Pieces from, int *out, int pieces) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= from.begins[pieces])
    return;
  int low = 0, high = pieces;
  while (low < high) {
    int middle = (low + high) / 2;
    from.begins[middle] < i ? low = middle + 1 : high = middle;
  }
  out[i] = low;
}

extern "C" __global__ void changed(Pieces from, int *out, int pieces) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  from.begins[i & 7] = i;
  if (i < from.begins[pieces])
    out[i] = 1;
}
