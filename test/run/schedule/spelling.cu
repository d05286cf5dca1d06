// REQUIRES: cpu
// RUN: %gasan %s -o %t
// RUN: %options=schedule=random not %run %t 2>&1 | FileCheck %s --check-prefix=NO-SEED
// RUN: %options=schedule=random:x not %run %t 2>&1 | FileCheck %s --check-prefix=NO-SEED
// RUN: %options=schedule=random:1234567890 not %run %t 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: %options=schedule=random:7:verbosity=1 %run %t 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: %options=schedule=index %run %t 2>&1 | %silent
// "random:SEED" is one value, although ':' separates options.
// NO-SEED: gasan: {{.*}}GASAN_OPTIONS=
// LARGE: gasan: ERROR: GASAN_OPTIONS=schedule=random:1234567890 is unknown; use index, or random:SEED with
// BOTH: kernels run on the cpu device
int main() {
  return cudaFree(nullptr) != cudaSuccess;
}
