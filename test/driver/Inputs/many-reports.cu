// Many kernels whose variants report, and only report.
template <int N>
__global__ void gather(int *to, const int *from, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    to[i] = from[from[i] + N];
}

template <int N>
void use() {
  gather<N><<<1, 64>>>(nullptr, nullptr, 0);
  if constexpr (N > 0)
    use<N - 1>();
}

template void use<KERNELS - 1>();
