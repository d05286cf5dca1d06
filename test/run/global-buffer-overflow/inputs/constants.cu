// The variable of other-unit-constant.cu.
__constant__ int far_constants[16] = {1, 2, 3};
