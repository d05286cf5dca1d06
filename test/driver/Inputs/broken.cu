__global__ void kernel(int *value) {
  *value = nonsense;
}
