// The second translation unit of two-units.cu.
static __global__ void set(int *value) {
  *value = 2;
}

void set_in_second_unit(int *value) {
  set<<<1, 1>>>(value);
}
