// A member of an archive that no program needs. If it were linked, `twice` would have two definitions.
__device__ int twice(int value) {
  return value;
}

void nobody_calls_this() {}
