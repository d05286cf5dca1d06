// Many kernels whose variants report, and whose threads wait for each other.
template <int N>
__global__ void gather(int *to, const int *from, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    to[i] = from[from[i] + N];
  __syncthreads();
  to[threadIdx.x]++;
}

template <int N>
void use() {
  gather<N><<<1, 64>>>(nullptr, nullptr, 0);
  if constexpr (N > 0)
    use<N - 1>();
}

template void use<KERNELS - 1>();
