// Four ranks of OpenMPI write their reports, and `gasan report` merges them.
// REQUIRES: mpi, schemas
// RUN: %gasan -O2 -I/usr/lib/x86_64-linux-gnu/openmpi/include -L/usr/lib/x86_64-linux-gnu/openmpi/lib -lmpi %s -o %t
// RUN: rm -rf %t.d
// RUN: env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_plm_rsh_agent=/bin/true \
// RUN:   %options=halt_on_error=0:cpu_threads=1:report_format=json:report_path='%t.d/rank%%q{OMPI_COMM_WORLD_RANK}' \
// RUN:   %exit=1 mpirun --oversubscribe -n 4 %t 2>&1 | FileCheck %s --check-prefix=RUN-OUTPUT
// RUN: ls %t.d | FileCheck %s --check-prefix=FILES
// RUN: %report_files %t.d/rank0.json %t.d/rank1.json %t.d/rank2.json %t.d/rank3.json
// RUN: not %gasan_report %t.d/rank0.json %t.d/rank1.json %t.d/rank2.json %t.d/rank3.json | FileCheck %s
// RUN: not %gasan_report --format html --output %t.d/all.html %t.d/rank0.json %t.d/rank1.json %t.d/rank2.json \
// RUN:   %t.d/rank3.json
// RUN: %report_files --count 2 %t.d/all.html
// RUN-OUTPUT: the sum over the ranks is 6
// FILES: rank0.json
// FILES-NEXT: rank1.json
// FILES-NEXT: rank2.json
// FILES-NEXT: rank3.json
// CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
// CHECK: #0 put(int*, int, int) {{.*}}mpi.cu:[[#@LINE+11]]:
// CHECK: first = 100
// CHECK: Reported 3 times by rank 1 (process {{[0-9]+}} on {{.*}}), rank 2 {{.*}}, rank 3 (
// CHECK: ERROR: AddressSanitizer: attempting double-free
// CHECK: Reported 1 time by rank 2 (
// CHECK: 2 different reports, 4 in all, by 4 processes
#include <cstdio>
#include <mpi.h>
#include <unistd.h>

__global__ void put(int *values, int first, int rank) {
  values[first + threadIdx.x] = rank;
}

int main(int count, char **arguments) {
  int rank, sum, *values;
  MPI_Init(&count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  cudaMalloc(&values, 100 * sizeof(int));
  put<<<1, 1>>>(values, rank ? 100 : 0, rank);
  cudaDeviceSynchronize();
  cudaFree(values);
  if (rank == 2)
    cudaFree(values);
  MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (!rank)
    printf("the sum over the ranks is %d\n", sum);
  MPI_Finalize();
  if (rank) /* mpirun stops the other ranks when one fails, and rank 0 writes its file without reports at its end */
    sleep(3);
  return 0;
}
