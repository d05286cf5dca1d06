// The site table of a real file: lines, columns, inline chains, demangled names, and the kernels that reach each site,
// with and without optimisation. ptxas gets no debug info, and LLVM's AddressSanitizer has done nothing.
// RUN: %cuda_device -O2 -gline-tables-only --cuda-noopt-device-debug %s -emit-llvm -S -o %t.O2.ll \
// RUN:   -Xclang -fsanitize=address -mllvm -asan-globals=0 -mllvm -asan-constructor-kind=none \
// RUN:   -fpass-plugin=%plugin -Xclang -load -Xclang %plugin -mllvm -gasan-instrument -mllvm -gasan-mode=shadow
// RUN: python3 %S/Inputs/print_sites.py < %t.O2.ll | FileCheck %s --check-prefix=INLINED
// RUN: FileCheck %s --check-prefix=CODE < %t.O2.ll
// RUN: %cuda_device -O0 -gline-tables-only %s -emit-llvm -S -o %t.O0.ll \
// RUN:   -Xclang -fsanitize=address -mllvm -asan-globals=0 -mllvm -asan-constructor-kind=none \
// RUN:   -fpass-plugin=%plugin -Xclang -load -Xclang %plugin -mllvm -gasan-instrument -mllvm -gasan-mode=shadow
// RUN: python3 %S/Inputs/print_sites.py < %t.O0.ll | FileCheck %s --check-prefix=CALLED
// RUN: FileCheck %s --check-prefix=CODE < %t.O0.ll

// CODE: @__gasan_sites
// CODE: call void @__gasan_report
// CODE-NOT: !DILocation
// CODE-NOT: {{call.*__asan}}
// CODE-NOT: {{ sanitize_address}}

template <typename T>
static __device__ void put(T *where, T value) {
  *where = value; // put
}

static __device__ void put_twice(int *where, int value) {
  put(where, value);     // first
  put(where + 9, value); // second
}

extern "C" __global__ void plain(int *p) {
  put_twice(p, 1); // plain
}

// Reached by two kernels, but one site.
static __device__ __attribute__((noinline)) double load(double *p, int i) {
  return p[i]; // load
}

__global__ void one(double *p) {
  if (load(p, 5) == 3)
    asm volatile("nanosleep.u32 1;");
}

__global__ void two(double *p) {
  if (load(p, 6) == 3)
    asm volatile("nanosleep.u32 2;");
}

__global__ void nothing() {}

// INLINED: table version {{[0-9]+}} scale 7: 3 sites, 4 kernels
// INLINED-NEXT: kernel plain 'plain' 2 sites
// INLINED-NEXT: kernel _Z3onePd 'one(double*)' 1 sites
// INLINED-NEXT: kernel _Z3twoPd 'two(double*)' 1 sites
// INLINED-NEXT: kernel _Z7nothingv 'nothing()' 0 sites
// INLINED-NEXT: site 0 WRITE 4 from plain
// INLINED-NEXT: #0 void put<int>(int*, int) /{{.*}}/sites.cu:22:10
// INLINED-NEXT: #1 put_twice(int*, int) /{{.*}}/sites.cu:26:3
// INLINED-NEXT: #2 plain /{{.*}}/sites.cu:31:3
// INLINED-NEXT: site 1 WRITE 4 from plain
// INLINED-NEXT: #0 void put<int>(int*, int) /{{.*}}/sites.cu:22:10
// INLINED-NEXT: #1 put_twice(int*, int) /{{.*}}/sites.cu:27:3
// INLINED-NEXT: #2 plain /{{.*}}/sites.cu:31:3
// INLINED-NEXT: site 2 READ 8 from _Z3onePd _Z3twoPd
// INLINED-NEXT: #0 load(double*, int) /{{.*}}/sites.cu:36:10

// CALLED: table version {{[0-9]+}} scale 7: 2 sites, 4 kernels
// CALLED-DAG: kernel plain 'plain' 1 sites
// CALLED-DAG: READ 8 from _Z3onePd _Z3twoPd{{[[:space:]]}} #0 load(double*, int) /{{.*}}/sites.cu:36:10
// CALLED-DAG: WRITE 4 from plain{{[[:space:]]}} #0 void put<int>(int*, int) /{{.*}}/sites.cu:22:10
