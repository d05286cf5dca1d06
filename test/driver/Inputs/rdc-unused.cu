// A member of an archive that no program needs: with it, `twice` would be there twice.
__device__ int twice(int value) {
  return value;
}

void nobody_calls_this() {}
