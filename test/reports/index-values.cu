// A report shows the line with a caret, the values that make the index, and the bytes around the address.
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 0 2>&1 | FileCheck %s --check-prefix=LAST --match-full-lines --strict-whitespace
// RUN: not %run %t 1 2>&1 | FileCheck %s --check-prefix=BEFORE --match-full-lines --strict-whitespace
// RUN: not %run %t 2 2>&1 | FileCheck %s --check-prefix=WRAPS
// RUN: not %run %t 3 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: not %run %t 4 2>&1 | FileCheck %s --check-prefix=LOOP
// RUN: not %run %t 5 2>&1 | FileCheck %s --check-prefix=STRIDE
// RUN: not %run %t 6 2>&1 | FileCheck %s --check-prefix=LOADED
// RUN: not %run %t 7 2>&1 | FileCheck %s --check-prefix=CALL
// RUN: not %run %t 8 2>&1 | FileCheck %s --check-prefix=ROW
// RUN: not %run %t 9 2>&1 | FileCheck %s --check-prefix=ADDED
// RUN: not %run %t 10 2>&1 | FileCheck %s --check-prefix=MEMBER
// RUN: %options=print_source=0 not %run %t 0 2>&1 | FileCheck %s --check-prefix=HIDDEN --implicit-check-not='|'
//
// The values are in the files of reports, too; a correct launch has none of it.
// REQUIRES: schemas
// RUN: rm -rf %t.d && %options=report_format=json,sarif:report_path=%t.d/r not %run %t 0 2>/dev/null
// RUN: %report_files --print reports.0.values.0.expression --print reports.0.values.0.value \
// RUN:   --print reports.0.values.1.expression --print reports.0.block_threads --print reports.0.source.lines.3 \
// RUN:   %t.d/r.json | FileCheck %s --check-prefix=JSON
// RUN: %report_files --print runs.0.results.0.locations.0.physicalLocation.contextRegion.startLine %t.d/r.sarif | \
// RUN:   FileCheck %s --check-prefix=SARIF
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 0 2>&1 | %silent
#include <cstdlib>

struct Image {
  float *data;
  int width;
};

// LAST:{{ +}}[[#@LINE+11]] |     values[i] = 1;
// LAST-NEXT:      |               ^ blockIdx.x * 256 + threadIdx.x = 1000
// LAST-NEXT:      |                 n = 1000
// LAST-EMPTY:
// LAST-NEXT:  0x{{[0-9a-f]+}} ################........................ (#: inside)
// LAST-NEXT:{{ +}}^^^^
// LAST-EMPTY:
// LAST-NEXT:0x{{[0-9a-f]+}} is located 0 bytes after 4000-byte region {{.*}}
__global__ void fill(float *values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n)
    values[i] = 1;
}

// A tab stays a tab, so that the caret is under the access. Structures have no names of fields.
__global__ void shade(Image image) {
  int x = threadIdx.x, y = blockIdx.x;
  // BEFORE:{{ +}}[[#@LINE+7]] | 	/* ö */ image.data[y * image.width + x - 1] = 2;
  // BEFORE-NEXT:      | {{	 +}}^ image[byte 8] * blockIdx.x + threadIdx.x - 1 = -1
  // BEFORE-NEXT:      | {{	 +}}image[byte 8] = 32
  // BEFORE-EMPTY:
  // BEFORE-NEXT:  0x{{[0-9a-f]+}} ........................################ (#: inside)
  // BEFORE-NEXT:{{ +}}^^^^
  // clang-format off
	/* ö */ image.data[y * image.width + x - 1] = 2;
  // clang-format on
}

// WRAPS: ^ blockIdx.x * 16777216 + threadIdx.x = -2147483648 (2147483648 does not fit 32 bits)
__global__ void wrap(float *values) {
  int i = blockIdx.x * (1 << 24) + threadIdx.x;
  if (blockIdx.x == gridDim.x - 1)
    values[i] = 1;
}

// SHARED: ^ n + threadIdx.x = 32
// SHARED-NEXT: n = 1
__global__ void tile(float *out, int n) {
  __shared__ float values[32];
  values[threadIdx.x + n] = 1;
  __syncthreads();
  out[threadIdx.x] = values[threadIdx.x];
}

// LOOP: ^ counter + n * threadIdx.x = 1000
// LOOP-NEXT: counter (of the loop) = 100
// LOOP-NEXT: n = 100
__global__ void rows(float *values, int n) {
#pragma unroll 1
  for (int k = 0; k <= n; k++)
    values[threadIdx.x * n + k] = 1;
}

// STRIDE: ^ index = 1000
// STRIDE-NEXT: n = 1000
__global__ void stride(float *values, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i <= n; i += gridDim.x * blockDim.x)
    values[i] = 1;
}

// The address says which number an index from memory was.
// LOADED: values[keys[threadIdx.x]] = 1;
// LOADED-NEXT: {{^      \| +\^}} keys[threadIdx.x] = 1000 (values has 1000 elements)
// LOADED-NEXT: {{^      \| +}}threadIdx.x = 0
// LOADED-EMPTY:
__global__ void scatter(float *values, int *keys) {
  values[keys[threadIdx.x]] = 1;
}

// The number's own index has several values. Elements count from the pointer, which is in the middle of its region.
// ROW: ^ row[byte 0][...] = 500 (row[byte 8] has 500 elements)
// ROW-NEXT: n = 3
struct Row {
  const int *columns;
  float *values;
};
__global__ void sum(Row row, float *out, int n) {
  float result = 0;
#pragma unroll 1
  for (int j = 0; j < n; j++)
    result += row.values[row.columns[j]];
  out[threadIdx.x] = result;
}

// The number is a member of a structure.
// MEMBER: ^ items[...] = 255 (values has 1000 elements)
struct Item {
  int size;
  unsigned char key;
};
__global__ void pick(float *values, const Item *items) {
  values[items[threadIdx.x].key + 990] = 1;
}

// ADDED: ^ keys[threadIdx.x + 4] = 1000 (pairs has 500 elements)
// ADDED-NEXT: threadIdx.x + 4 = 7
__global__ void shift(float2 *pairs, const unsigned *keys) {
  pairs[keys[threadIdx.x + 4] - 500].y = 1;
}

// HIDDEN: ERROR: AddressSanitizer
// HIDDEN: blockIdx.x * 256 + threadIdx.x = 1000
// HIDDEN: is located
// JSON: reports.0.values.0.expression: blockIdx.x * 256 + threadIdx.x
// JSON-NEXT: reports.0.values.0.value: 1000
// JSON-NEXT: reports.0.values.1.expression: n
// JSON-NEXT: reports.0.block_threads: ['0x0', '0x0', '0x0', '0x10000000000',
// JSON-NEXT: reports.0.source.lines.3:     values[i] = 1;
// SARIF: contextRegion.startLine: {{[0-9]+}}

int main(int, char **arguments) {
  float *values;
  int *keys, host[32] = {1000};
  cudaMalloc(&values, 4000);
  cudaMalloc(&keys, sizeof host);
  cudaMemcpy(keys, host, sizeof host, cudaMemcpyHostToDevice);
  switch (atoi(arguments[1])) {
  case 0:
#ifdef FIXED
    fill<<<4, 256>>>(values, 999);
#else
    fill<<<4, 256>>>(values, 1000);
#endif
    break;
  case 1:
    shade<<<4, 32>>>(Image{values, 32});
    break;
  case 2:
    wrap<<<129, 32>>>(values);
    break;
  case 3:
    tile<<<1, 32>>>(values, 1);
    break;
  case 4:
    rows<<<1, 10>>>(values, 100);
    break;
  case 5:
    stride<<<2, 64>>>(values, 1000);
    break;
  case 6:
    scatter<<<1, 32>>>(values, keys);
    break;
  case 8:
    host[1] = 500;
    host[0] = 499;
    cudaMemcpy(keys, host, sizeof host, cudaMemcpyHostToDevice);
    sum<<<1, 1>>>(Row{keys, values + 500}, values, 3);
    break;
  case 10:
    host[1] = 255;
    cudaMemcpy(keys, host, sizeof host, cudaMemcpyHostToDevice);
    pick<<<1, 1>>>(values, (Item *)keys);
    break;
  case 9:
    for (int i = 0; i < 28; i++)
      host[i + 4] = i == 3 ? 1000 : 999;
    cudaMemcpy(keys, host, sizeof host, cudaMemcpyHostToDevice);
    shift<<<1, 28>>>((float2 *)values, (unsigned *)keys);
    break;
  case 7:
    // CALL: [[#@LINE+4]] | cudaMemset(keys, 0, sizeof host + 1);
    // CALL-NEXT: {{^}} | ^{{$}}
    // CALL-EMPTY:
    // CALL-NEXT: 0x{{[0-9a-f]+}} ################........................ (#: inside)
    cudaMemset(keys, 0, sizeof host + 1);
  }
  return cudaDeviceSynchronize() != cudaSuccess;
}
