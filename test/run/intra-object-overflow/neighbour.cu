// An access one element past an array field is in the next field of the same allocation.
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 >/dev/null | %golden | FileCheck %s
// RUN: %gasan -O0 %s -o %t.O0
// RUN: not %run %t.O0 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
struct Account {
  char name[8];
  int balance;
};

__global__ void rename(Account *accounts, int length) {
  Account *account = &accounts[threadIdx.x];
  for (int i = 0; i < length; ++i)
    // CHECK: ERROR: AddressSanitizer: intra-object-overflow
    // CHECK-NEXT: WRITE of size 1 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
    // CHECK-NEXT: #0 rename(Account*, int) {{.*}}neighbour.cu:[[#@LINE+2]]:
    // CHECK: is located 0 bytes after field 'Account::name' defined in '{{.*}}neighbour.cu:9' of size 8
    account->name[i] = 'a' + i;
}

int main() {
  Account accounts[32], *onDevice;
  cudaMalloc(&onDevice, sizeof accounts);
  cudaMemset(onDevice, 0, sizeof accounts);
#ifdef FIXED
  rename<<<1, 32>>>(onDevice, 8);
#else
  rename<<<1, 32>>>(onDevice, 9);
#endif
  cudaMemcpy(accounts, onDevice, sizeof accounts, cudaMemcpyDeviceToHost);
  cudaFree(onDevice);
  return accounts[31].balance != 0 || accounts[31].name[7] != 'h';
}
