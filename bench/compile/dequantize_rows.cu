/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Imitates the row gather of a language-model inference engine with quantized weights.
// Six bit packings, two output types and three block sizes give 36 kernels of shifts and masks.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

struct FourBit {
  static constexpr int values = 32;
  __half scale;
  uint8_t nibbles[16];
  __device__ float decode(int i) const {
    return __half2float(scale) * float((nibbles[i % 16] >> (i / 16 * 4) & 15) - 8);
  }
};

struct FourBitOffset {
  static constexpr int values = 32;
  __half2 scale_and_minimum;
  uint8_t nibbles[16];
  __device__ float decode(int i) const {
    const float2 parameters = __half22float2(scale_and_minimum);
    return fmaf(parameters.x, float(nibbles[i % 16] >> (i / 16 * 4) & 15), parameters.y);
  }
};

struct FiveBit {
  static constexpr int values = 32;
  __half scale;
  uint8_t high_bits[4], nibbles[16];
  __device__ float decode(int i) const {
    const int low = nibbles[i % 16] >> (i / 16 * 4) & 15, high = high_bits[i / 8] >> (i % 8) & 1;
    return __half2float(scale) * float((low | high << 4) - 16);
  }
};

struct EightBit {
  static constexpr int values = 32;
  __half scale;
  int8_t codes[32];
  __device__ float decode(int i) const { return __half2float(scale) * float(codes[i]); }
};

struct TwoBitGroups {
  static constexpr int values = 256;
  uint8_t group_scales[16]; // Low nibble: scale of the group; high nibble: its minimum.
  uint8_t codes[64];
  __half2 scale_and_minimum;
  __device__ float decode(int i) const {
    const float2 parameters = __half22float2(scale_and_minimum);
    const int group = group_scales[i / 16], code = codes[i / 128 * 32 + i % 32] >> (i / 32 % 4 * 2) & 3;
    return parameters.x * float(group & 15) * float(code) - parameters.y * float(group >> 4);
  }
};

struct SixBitGroups {
  static constexpr int values = 256;
  uint8_t low_bits[128], high_bits[64];
  int8_t group_scales[16];
  __half scale;
  __device__ float decode(int i) const {
    const int low = low_bits[i / 128 * 64 + i % 64] >> (i / 64 % 2 * 4) & 15;
    const int high = high_bits[i / 128 * 32 + i % 32] >> (i / 32 % 4 * 2) & 3;
    return __half2float(scale) * float(group_scales[i / 16]) * float((low | high << 4) - 32);
  }
};

// One grid row writes one output row. Each thread decodes 16 consecutive values of one block.
template <typename Format, typename Output, int Threads>
__global__ void __launch_bounds__(Threads)
    gather_rows(Output *out, const Format *table, const int32_t *rows, int64_t table_rows, int blocks_per_row) {
  constexpr int chunk = 16, chunks = Format::values / chunk;
  const int64_t row = rows[blockIdx.y];
  for (int i = blockIdx.x * Threads + threadIdx.x; i < blocks_per_row * chunks; i += gridDim.x * Threads) {
    Output *target = out + (int64_t(blockIdx.y) * blocks_per_row * chunks + i) * chunk;
    const Format *block = row >= 0 && row < table_rows ? table + row * blocks_per_row + i / chunks : nullptr;
#pragma unroll
    for (int k = 0; k < chunk; ++k)
      target[k] = Output(block ? block->decode(i % chunks * chunk + k) : 0.0f);
  }
}

template <typename Format, typename Output>
cudaError_t gather(Output *out, const void *table, const int32_t *rows, int64_t table_rows, int blocks_per_row,
                   unsigned count, cudaStream_t stream) {
  const int chunks = blocks_per_row * (Format::values / 16);
  if (count == 0 || chunks <= 0)
    return cudaSuccess;
  const int threads = chunks <= 64 ? 64 : chunks <= 1024 ? 128 : 256;
  const auto kernel = threads == 64    ? gather_rows<Format, Output, 64>
                      : threads == 128 ? gather_rows<Format, Output, 128>
                                       : gather_rows<Format, Output, 256>;
  const dim3 grid((chunks + threads - 1) / threads, count);
  kernel<<<grid, threads, 0, stream>>>(out, static_cast<const Format *>(table), rows, table_rows, blocks_per_row);
  return cudaGetLastError();
}

template <typename Output>
cudaError_t dequantize_rows(int format, Output *out, const void *table, const int32_t *rows, int64_t table_rows,
                            int blocks_per_row, unsigned count, cudaStream_t stream) {
  constexpr decltype(&gather<FourBit, Output>) entries[] = {gather<FourBit, Output>,      gather<FourBitOffset, Output>,
                                                            gather<FiveBit, Output>,      gather<EightBit, Output>,
                                                            gather<TwoBitGroups, Output>, gather<SixBitGroups, Output>};
  return format < 0 || format >= 6 ? cudaErrorInvalidValue
                                   : entries[format](out, table, rows, table_rows, blocks_per_row, count, stream);
}

template cudaError_t dequantize_rows(int, float *, const void *, const int32_t *, int64_t, int, unsigned, cudaStream_t);
template cudaError_t dequantize_rows(int, __half *, const void *, const int32_t *, int64_t, int, unsigned,
                                     cudaStream_t);
