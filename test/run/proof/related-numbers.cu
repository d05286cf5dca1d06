// Launch proofs about related numbers: the row and the column of one index, a tile's start and an index in it, the
// lowest bits of an index, a warp's lanes, an element and its windows, mirrored indices, the distances of a scan, and
// the alignment of wide accesses. Each kernel is proven where its arrays are long enough, and reports where they are
// not.
// RUN: %gasan -O2 %s -o %t
// RUN: %options=print_stats=1 %run %t fine 2>&1 | FileCheck %s --check-prefix=FINE
// RUN: %options=launch_proof=0 %run %t fine 2>&1 >/dev/null | %silent
// RUN: not %run %t rows 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not %run %t tiles 2>&1 | FileCheck %s --check-prefix=TILES
// RUN: not %run %t last 2>&1 | FileCheck %s --check-prefix=LAST
// RUN: not %run %t tree 2>&1 | FileCheck %s --check-prefix=TREE
// RUN: not %run %t falling 2>&1 | FileCheck %s --check-prefix=FALLING
// RUN: not %run %t windows 2>&1 | FileCheck %s --check-prefix=WINDOWS
// RUN: not %run %t mirrored 2>&1 | FileCheck %s --check-prefix=MIRRORED
// RUN: not %run %t sweep 2>&1 | FileCheck %s --check-prefix=SWEEP
// RUN: not %run %t vectors 2>&1 | FileCheck %s --check-prefix=VECTORS
// RUN: not %run %t pitch 2>&1 | FileCheck %s --check-prefix=PITCH
// RUN: not %run %t tail 2>&1 | FileCheck %s --check-prefix=TAIL
// RUN: not %run %t lanes 2>&1 | FileCheck %s --check-prefix=LANES
// RUN: not %run %t pairs 2>&1 | FileCheck %s --check-prefix=PAIRS
// RUN: not %run %t dynamic 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// FINE: launch proof: 15 of 15 launches proven, by 15 evaluations; 13 of 13 kernels in every launch
// FINE: Stats: 0 reports
#include "zeroed-array.cuh"

#include <cstring>

// Each element of a matrix whose borders are connected gets the sum of its neighbours.
__global__ void rows(const float *from, float *to, int width, int height) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int row = i / width, column = i % width;
  if (row >= height)
    return;
  int up = row > 0 ? row - 1 : height - 1, down = row + 1 < height ? row + 1 : 0;
  int left = column > 0 ? column - 1 : width - 1, right = column + 1 < width ? column + 1 : 0;
  // ROWS: ERROR: AddressSanitizer: heap-buffer-overflow
  // ROWS: READ of size 4
  // ROWS-NEXT: #0 rows(float const*, float*, int, int) {{.*}}related-numbers.cu:[[#@LINE+4]]:
  // ROWS: located 0 bytes after 1596-byte region
  // ROWS: allocated by host thread T0 here:
  to[row * width + column] =
      from[up * width + column] + from[down * width + column] + from[row * width + left] + from[row * width + right];
}

// The last of the tiles is not full.
__global__ void tiles(const int *from, int *to, int count) {
  for (int first = blockIdx.x * 128; first < count; first += gridDim.x * 128) {
    int valid = min(count - first, 128), t = threadIdx.x * 2;
    const int *tile = from + first;
    // TILES: ERROR: AddressSanitizer: heap-buffer-overflow
    // TILES: READ of size 4
    // TILES-NEXT: #0 tiles(int const*, int*, int) {{.*}}related-numbers.cu:[[#@LINE+4]]:
    // TILES: located 0 bytes after 3996-byte region
    // TILES: allocated by host thread T0 here:
    if (t + 1 < valid)
      to[first + t] = tile[t] + tile[t + 1];
    else if (t < valid)
      to[first + t] = tile[t];
  }
}

// The tile's end is its last element.
__global__ void up_to(int *to, int last) {
  int first = blockIdx.x * 64, t = threadIdx.x;
  // LAST: ERROR: AddressSanitizer: heap-buffer-overflow
  // LAST: WRITE of size 4
  // LAST-NEXT: #0 up_to(int*, int) {{.*}}related-numbers.cu:[[#@LINE+4]]:
  // LAST: located 0 bytes after 400-byte region
  // LAST: allocated by host thread T0 here:
  if (t <= last - first)
    to[first + t] = t;
}

// A sum in shared memory, by the threads whose numbers are multiples of a power of two. SIZE is the size that it needs.
constexpr int SIZE = 64;
template <int LENGTH>
__global__ void tree(int *to) {
  __shared__ int sums[LENGTH];
  int t = threadIdx.x;
  sums[t] = t;
  __syncthreads();
  for (int distance = 1; distance < SIZE; distance *= 2) {
    // TREE: ERROR: AddressSanitizer: shared-buffer-overflow
    // TREE: READ of size 4
    // TREE-NEXT: #0 void tree<62>(int*) {{.*}}related-numbers.cu:[[#@LINE+3]]:
    // TREE: 'sums'
    if (t % (2 * distance) == 0 && t + distance < SIZE)
      sums[t] += sums[t + distance];
    __syncthreads();
  }
  if (t == 0)
    *to = sums[0];
}

// The diagonals behind the longest one, from its neighbour to the last.
template <int LENGTH>
__global__ void falling(int *to) {
  __shared__ int columns[LENGTH];
  int t = threadIdx.x;
  for (int m = SIZE - 1; m >= 0; m--) {
    // FALLING: ERROR: AddressSanitizer: shared-buffer-overflow
    // FALLING: WRITE of size 4
    // FALLING-NEXT: #0 void falling<63>(int*) {{.*}}related-numbers.cu:[[#@LINE+3]]:
    // FALLING: 'columns'
    if (t <= m)
      columns[t + SIZE - 1 - m] = t;
    __syncthreads();
  }
  to[t] = columns[t];
}

// The windows of `size` elements that have an element, whose place in each follows from the window's number.
__global__ void windows(const float *patches, float *to, int size, int stride, int count) {
  int x = threadIdx.x;
  int first = x < size ? 0 : (x - size) / stride + 1, end = min(x / stride + 1, count);
  float sum = 0;
  for (int w = first; w < end; w++)
    // WINDOWS: ERROR: AddressSanitizer: heap-buffer-overflow
    // WINDOWS: READ of size 4
    // WINDOWS-NEXT: #0 windows(float const*, float*, int, int, int) {{.*}}related-numbers.cu:[[#@LINE+3]]:
    // WINDOWS: located 0 bytes after 556-byte region
    // WINDOWS: allocated by host thread T0 here:
    sum += patches[(x - w * stride) * count + w];
  to[x] = sum;
}

// The sum around each element of a row, which is mirrored at its ends.
__global__ void mirrored(const float *from, float *to, int count) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= count)
    return;
  float sum = 0;
#pragma unroll 1
  for (int i = -3; i <= 3; i++) {
    int k = x + i;
    if (k < 0)
      k = -k;
    if (k > count - 1)
      k = count - 1 - i;
    // MIRRORED: ERROR: AddressSanitizer: heap-buffer-overflow
    // MIRRORED: READ of size 4
    // MIRRORED-NEXT: #0 mirrored(float const*, float*, int) {{.*}}related-numbers.cu:[[#@LINE+3]]:
    // MIRRORED: located 0 bytes after 396-byte region
    // MIRRORED: allocated by host thread T0 here:
    sum += from[k];
  }
  to[x] = sum;
}

// The first half of a scan: the distance doubles while the count of the threads that work is halved.
__global__ void sweep(int *data, int count) {
  int t = threadIdx.x, distance = 1;
  for (int working = count / 2; working > 0; working /= 2) {
    // SWEEP: ERROR: AddressSanitizer: heap-buffer-overflow
    // SWEEP: #0 sweep(int*, int) {{.*}}related-numbers.cu:[[#@LINE+4]]:
    // SWEEP: located 0 bytes after 252-byte region
    // SWEEP: allocated by host thread T0 here:
    if (t < working)
      data[distance * (2 * t + 2) - 1] += data[distance * (2 * t + 1) - 1];
    distance *= 2;
    __syncthreads();
  }
}

// Rows of `pitch` bytes, four elements at once. The kernel cannot know that the pitch is a multiple of 16.
__global__ void vectors(const char *from, float4 *to, int pitch) {
  // VECTORS: ERROR: AddressSanitizer: heap-buffer-overflow
  // VECTORS: READ of size 16
  // VECTORS-NEXT: #0 vectors(char const*, float4*, int) {{.*}}related-numbers.cu:[[#@LINE+8]]:
  // VECTORS: located 0 bytes after 2224-byte region
  // VECTORS: allocated by host thread T0 here:
  // PITCH: ERROR: AddressSanitizer: misaligned-access
  // PITCH: READ of size 16
  // PITCH-NEXT: #0 vectors(char const*, float4*, int) {{.*}}related-numbers.cu:[[#@LINE+3]]:
  int t = threadIdx.x;
  const float4 *row = (const float4 *)(from + blockIdx.x * pitch);
  to[blockIdx.x * blockDim.x + t] = row[t];
}

// Steps of four elements, up to a multiple of 4.
__global__ void tail(const float *from, float *to, int count) {
  for (int i = threadIdx.x * 4; i < count; i += blockDim.x * 4)
    // TAIL: ERROR: AddressSanitizer: heap-buffer-overflow
    // TAIL: READ of size 4
    // TAIL-NEXT: #0 tail(float const*, float*, int) {{.*}}related-numbers.cu:[[#@LINE+3]]:
    // TAIL: located 0 bytes after 3996-byte region
    // TAIL: allocated by host thread T0 here:
    to[i / 4] = from[i] + from[i + 1] + from[i + 2] + from[i + 3];
}

// Bytes of dynamic shared memory, as vectors.
__global__ void dynamic(float4 *to) {
  extern __shared__ char bytes[];
  float4 *vectors = (float4 *)bytes;
  // DYNAMIC: ERROR: AddressSanitizer: shared-buffer-overflow
  // DYNAMIC: WRITE of size 16
  // DYNAMIC-NEXT: #0 dynamic(float4*) {{.*}}related-numbers.cu:[[#@LINE+1]]:
  vectors[threadIdx.x] = float4{1, 2, 3, (float)threadIdx.x};
  __syncthreads();
  to[threadIdx.x] = vectors[threadIdx.x / 2];
}

// Each warp's first element becomes the warp's sum.
__global__ void lanes(int *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int distance = 16; distance > 0; distance /= 2) {
    // LANES: ERROR: AddressSanitizer: heap-buffer-overflow
    // LANES: READ of size 4
    // LANES-NEXT: #0 lanes(int*) {{.*}}related-numbers.cu:[[#@LINE+4]]:
    // LANES: located 0 bytes after 508-byte region
    // LANES: allocated by host thread T0 here:
    if (i % 32 < distance)
      sums[i] += sums[i + distance];
    __syncwarp();
  }
}

// The upper half of each eight elements is added to the lower half.
__global__ void pairs(int *to) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // PAIRS: ERROR: AddressSanitizer: heap-buffer-overflow
  // PAIRS: READ of size 4
  // PAIRS-NEXT: #0 pairs(int*) {{.*}}related-numbers.cu:[[#@LINE+4]]:
  // PAIRS: located 0 bytes after 508-byte region
  // PAIRS: allocated by host thread T0 here:
  if ((i & 4) == 0)
    to[i] += to[i + 4];
  __syncwarp();
  if (i & 4)
    to[i] = to[i - 4];
}

int main(int, char **arguments) {
  auto shorter = [&](const char *what) { return !strcmp(arguments[1], what); };
  rows<<<4, 128>>>(array<float>(400 - shorter("rows")), array<float>(400), 20, 20);
  tiles<<<3, 64>>>(array<int>(1000 - shorter("tiles")), array<int>(1000), 1000);
  tiles<<<3, 64>>>(array<int>(1024), array<int>(1024), 1024);
  up_to<<<2, 64>>>(array<int>(101 - shorter("last")), 100);
  if (shorter("tree"))
    tree<SIZE - 2><<<1, SIZE - 2>>>(array<int>(1));
  else
    tree<SIZE><<<1, SIZE>>>(array<int>(1));
  if (shorter("falling"))
    falling<SIZE - 1><<<1, SIZE - 1>>>(array<int>(SIZE));
  else
    falling<SIZE><<<1, SIZE>>>(array<int>(SIZE));
  windows<<<1, 64>>>(array<float>(140 - shorter("windows")), array<float>(64), 5, 2, 28);
  windows<<<1, 64>>>(array<float>(3 * 20), array<float>(64), 3, 3, 20);
  mirrored<<<2, 64>>>(array<float>(100 - shorter("mirrored")), array<float>(100), 100);
  sweep<<<1, 32>>>(array<int>(64 - shorter("sweep")), 64);
  vectors<<<4, 32>>>(array<char>(4 * 512 + 64 * 3 - 16 * shorter("vectors")), array<float4>(128),
                     512 + 64 - 8 * shorter("pitch"));
  tail<<<1, 32>>>(array<float>(1000 - shorter("tail")), array<float>(250), 1000);
  dynamic<<<1, 64, 64 * sizeof(float4) - 16 * shorter("dynamic")>>>(array<float4>(64));
  lanes<<<2, 64>>>(array<int>(128 - shorter("lanes")));
  pairs<<<2, 64>>>(array<int>(128 - shorter("pairs")));
  return cudaDeviceSynchronize() != cudaSuccess;
}
