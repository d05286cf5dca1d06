// Two ranks of OpenMPI, each with a GPU of its own: a report names the rank's device, and `gasan report` merges the
// files. Both ranks' sums are right without the bug.
// REQUIRES: two-devices, mpi
// RUN: %gasan -O2 -I/usr/lib/x86_64-linux-gnu/openmpi/include -L/usr/lib/x86_64-linux-gnu/openmpi/lib -lmpi %s -o %t
// RUN: rm -rf %t.d
// RUN: env -u CUDA_VISIBLE_DEVICES OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
// RUN:   OMPI_MCA_plm_rsh_agent=/bin/true \
// RUN:   %options=report_format=json:report_path='%t.d/fine%%q{OMPI_COMM_WORLD_RANK}' \
// RUN:   %exit=0 mpirun --oversubscribe -n 2 %t 100 2>&1 | FileCheck %s --check-prefix=FINE
// RUN: env -u CUDA_VISIBLE_DEVICES OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
// RUN:   OMPI_MCA_plm_rsh_agent=/bin/true \
// RUN:   %options=halt_on_error=0:report_format=json:report_path='%t.d/rank%%q{OMPI_COMM_WORLD_RANK}' \
// RUN:   %exit=1 mpirun --oversubscribe -n 2 %t 101 2>&1 | FileCheck %s --check-prefix=BUG
// RUN: not %gasan_report %t.d/rank0.json %t.d/rank1.json | FileCheck %s
// FINE: rank {{[01]}} has device {{[01]}}, and the sum of all ranks is 300
// BUG: the sum of all ranks is
// CHECK: ERROR: AddressSanitizer: heap-buffer-overflow on cuda device 1
// CHECK: WRITE of size 4
// CHECK: #0 put(int*, int, int) {{.*}}mpi-devices.cu:[[#@LINE+10]]:
// CHECK: located 0 bytes after 400-byte region
// CHECK: Reported 1 time by rank 1 (process {{[0-9]+}} on
// CHECK: 1 different report, 1 in all, by 2 processes
#include <cstdio>
#include <mpi.h>
#include <unistd.h>

__global__ void put(int *values, int count, int value) {
  if (threadIdx.x < count)
    values[threadIdx.x] = value;
}

int main(int count, char **arguments) {
  int rank, sum = 0, all = 0, *values, copy[100];
  MPI_Init(&count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  cudaSetDevice(rank);
  cudaMalloc(&values, sizeof copy);
  put<<<1, 128>>>(values, rank ? atoi(arguments[1]) : 100, rank + 1);
  cudaMemcpy(copy, values, sizeof copy, cudaMemcpyDeviceToHost);
  for (int value : copy)
    sum += value;
  MPI_Allreduce(&sum, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  printf("rank %d has device %d, and the sum of all ranks is %d\n", rank, rank, all);
  fflush(stdout);
  cudaFree(values);
  MPI_Finalize();
  if (rank) // mpirun stops the other rank when this one fails
    sleep(2);
  return 0;
}
