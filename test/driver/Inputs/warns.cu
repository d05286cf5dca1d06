__global__ void kernel(int *value) {
  int unused_on_device;
  *value = 1;
}

void host() {
  int unused_on_host;
}
