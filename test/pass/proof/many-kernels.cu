// Of many kernels with much code, the smallest get a bounded variant, and all get a proven one. Of few kernels, all do.
// RUN: %gasan -O1 --cuda-device-only --offload-arch=sm_90 -nocudainc -nocudalib -emit-llvm -S %s -o %t.ll
// RUN: grep -o '@__gasan_[a-z]*__Z4work[^(]*' %t.ll | sort -u | FileCheck %s
// CHECK-NOT: __gasan_bounded__Z4workILi2003E
// CHECK: __gasan_bounded__Z4workILi1E
// CHECK: __gasan_bounded__Z4workILi2E
// CHECK-NEXT: __gasan_bounded__Z4workILi3E
// CHECK-NEXT: __gasan_bounded__Z4workILi4E
// CHECK: __gasan_proven__Z4workILi1E
// CHECK-NEXT: __gasan_proven__Z4workILi2000E
// CHECK-NEXT: __gasan_proven__Z4workILi2001E
// CHECK-NEXT: __gasan_proven__Z4workILi2002E
// CHECK-NEXT: __gasan_proven__Z4workILi2003E
// CHECK-NEXT: __gasan_proven__Z4workILi2E
// CHECK-NEXT: __gasan_proven__Z4workILi3E
// CHECK-NEXT: __gasan_proven__Z4workILi4E
// RUN: %gasan -O1 --cuda-device-only --offload-arch=sm_90 -nocudainc -nocudalib -emit-llvm -S %s -DFEW -o %t.few.ll
// RUN: grep -c 'define .*@__gasan_bounded__Z4workILi2000E' %t.few.ll
template <int Steps>
__attribute__((global)) void work(float *a, const float *b, const int *where) {
  const int i = __nvvm_read_ptx_sreg_tid_x();
  float x = b[i];
#pragma unroll
  for (int step = 0; step < Steps; step++)
    x = x * x + step;
  a[where[i]] = x;
}

template __attribute__((global)) void work<1>(float *, const float *, const int *);
template __attribute__((global)) void work<2>(float *, const float *, const int *);
template __attribute__((global)) void work<3>(float *, const float *, const int *);
#ifndef FEW
template __attribute__((global)) void work<4>(float *, const float *, const int *);
template __attribute__((global)) void work<2001>(float *, const float *, const int *);
template __attribute__((global)) void work<2002>(float *, const float *, const int *);
template __attribute__((global)) void work<2003>(float *, const float *, const int *);
#endif
template __attribute__((global)) void work<2000>(float *, const float *, const int *);
