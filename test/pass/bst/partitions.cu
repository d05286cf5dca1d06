// A view of dynamic shared memory that the kernel carves ends where the next view begins, unless the code suggests that
// they overlap.
// RUN: %cuda_device -O1 -gline-tables-only %s -emit-llvm -S -o - \
// RUN:   -Xclang -fsanitize=address -mllvm -asan-globals=0 -mllvm -asan-constructor-kind=none \
// RUN:   -fpass-plugin=%plugin -Xclang -load -Xclang %plugin -mllvm -gasan-instrument -mllvm -gasan-mode=bst \
// RUN:   -mllvm -gasan-launch-proof=off -mllvm -gasan-batch-checks=false \
// RUN:   | FileCheck %s
// RUN: %cuda_device -O0 -gline-tables-only %s -emit-llvm -S -o - \
// RUN:   -Xclang -fsanitize=address -mllvm -asan-globals=0 -mllvm -asan-constructor-kind=none \
// RUN:   -fpass-plugin=%plugin -Xclang -load -Xclang %plugin -mllvm -gasan-instrument -mllvm -gasan-mode=bst \
// RUN:   -mllvm -gasan-launch-proof=off \
// RUN:   | FileCheck --check-prefix=GONE %s
// RUN: %cuda_device -O1 -gline-tables-only %s -emit-llvm -S -o - \
// RUN:   -Xclang -fsanitize=address -mllvm -asan-globals=0 -mllvm -asan-constructor-kind=none \
// RUN:   -fpass-plugin=%plugin -Xclang -load -Xclang %plugin -mllvm -gasan-prepare -mllvm -gasan-mode=bst \
// RUN:   | FileCheck --check-prefix=CARVED %s
// GONE-NOT: __gasan_partition

// The distance to the other's start counts if it is not 0, and in the region.
// CHECK-LABEL: define {{.*}} @_Z3twoii(
// CHECK: %[[REST:.*]] = call i64 @llvm.usub.sat.i64(i64 %{{.*}}, i64 %{{[0-9]+}})
// CHECK: %[[DISTANCE:.*]] = sub i64 %{{.*}}, %{{.*}}
// CHECK-NEXT: %[[SAME:.*]] = icmp eq i64 %[[DISTANCE]], 0
// CHECK-NEXT: %[[LESS:.*]] = call i64 @llvm.umin.i64(i64 %[[DISTANCE]], i64 %[[REST]])
// CHECK-NEXT: %[[SIZE:.*]] = select i1 %[[SAME]], i64 %[[REST]], i64 %[[LESS]]
// CHECK-NEXT: %[[LIMIT:.*]] = call i64 @llvm.usub.sat.i64(i64 %[[SIZE]], i64 3)
// CHECK-NEXT: %[[BYTES:.*]] = trunc i64 %[[LIMIT]] to i32
// CHECK-NEXT: %[[UP:.*]] = add i32 %[[BYTES]], 3
// CHECK-NEXT: %[[COUNT:.*]] = udiv i32 %[[UP]], 4
// CHECK: icmp uge i32 %{{.*}}, %[[COUNT]]
// CHECK: call void @__gasan_report_bounds(i64 %{{.*}}, i64 4, i32 0, i64 %{{.*}}, i64 %[[SIZE]],
// CHECK-NOT: @__gasan_partition
// CARVED-LABEL: define {{.*}} @_Z3twoii(
// CARVED: call {{.*}} @__gasan_partition._Z3twoii.0(
// CARVED-NOT: call {{.*}} @__gasan_partition
__global__ void two(int n, int i) {
  extern __shared__ int region[];
  int *left = region;
  int *right = region + n;
  left[i] = 1;
  right[i] = 2;
}

// CARVED-LABEL: define {{.*}} @_Z5threeii(
// CARVED-DAG: call {{.*}} @__gasan_partition._Z5threeii.0(
// CARVED-DAG: call {{.*}} @__gasan_partition._Z5threeii.1(
__global__ void three(int n, int i) {
  extern __shared__ char bytes[];
  double *sums = reinterpret_cast<double *>(bytes);
  int *places = reinterpret_cast<int *>(&sums[n]);
  char *flags = reinterpret_cast<char *>(places + 2 * n);
  sums[i] = places[i] = flags[i] = 1;
}

// The kernels below have no partitions.
// CARVED-NOT: call {{.*}} @__gasan_partition

// Set twice, or excepted.
__global__ void moved(bool second, int n, int i) {
  extern __shared__ int region[];
  int *moved = region;
  __attribute__((annotate("gasan_no_partition"))) int *view = region + n;
  if (second)
    moved = region + 2 * n;
  moved[i] = 1;
  view[i] = 2;
}

// A place that differs between threads.
__global__ void window(int n) {
  extern __shared__ int region[];
  int *all = region, *mine = all + threadIdx.x * n;
  all[n] = 1;
  mine[0] = 2;
}

// The index, or its limit, contains the distance; the middle of an array.
__global__ void halves(int half, int i) {
  extern __shared__ int region[];
  int *low = region, *high = low + half;
  high[i] = 1;
  low[i + half] = 2;
}

__global__ void row(int n, int radius) {
  extern __shared__ int region[];
  int *row = region, *inner = row + radius;
  for (int i = threadIdx.x; i < n + 2 * radius; i += blockDim.x)
    row[i] = 1;
  inner[threadIdx.x] = 2;
}

__global__ void middle(int n, int i) {
  extern __shared__ int region[];
  int *all = region, *right = all + n / 2;
  all[i] = right[i] = 1;
}

// A view that is only read, and a view with another one before it.
__global__ void reader(int n, int i, int *out) {
  extern __shared__ int region[];
  int *all = region, *tail = all + n;
  all[i] = 1;
  *out = tail[i];
}

__global__ void border(int n, int i) {
  extern __shared__ int region[];
  int *all = region, *inner = all + n;
  all[i] = 1;
  inner[i] = inner[int(threadIdx.x) - 1];
}

// Another view begins where the first one does; no order; after a barrier; cleared up to a number of its own.
__global__ void again(int n, int i) {
  extern __shared__ int region[];
  int *left = region, *right = region + n;
  left[i] = right[i] = 1;
  __syncthreads();
  float *sums = reinterpret_cast<float *>(region);
  sums[i] = 2;
}

__global__ void unordered(int n, int m, int i) {
  extern __shared__ int region[];
  int *a = region, *b = region + n, *c = region + m;
  a[i] = b[i] = c[i] = 1;
}

__global__ void later(int n, int i) {
  extern __shared__ int region[];
  int *first = region;
  first[i] = 1;
  __syncthreads();
  int *second = region + n;
  second[i] = 1;
}

__global__ void cleared(int n, int total) {
  extern __shared__ int region[];
  int *counts = region, *sums = region + n;
  for (int i = threadIdx.x; i < total; i += blockDim.x)
    counts[i] = 0;
  atomicAdd(&sums[threadIdx.x], 1);
}
