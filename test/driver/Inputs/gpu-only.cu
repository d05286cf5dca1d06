__global__ void commit(int *value) {
  asm volatile("cp.async.bulk.commit_group;");
  asm volatile("cp.async.bulk.wait_group 0;");
  *value = 1;
}
