// mma.sync of every type and shape of sm_80, ldmatrix, movmatrix and nvcuda::wmma. Elements are small integers, so that
// each product and sum is exact and equals the product on the host.
// RUN: %gasan -O2 --offload-arch=sm_80 %s -o %t
// RUN: %run %t 2>&1 | %same
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include "../inputs/self_check.h"

// The layout of elements in the lanes is that of the PTX ISA's figures for mma.
__device__ uint32_t encode(int number, int kind) {
  switch (kind) {
  case 0: // f16
    return __half_as_ushort(__int2half_rn(number));
  case 1: // bf16
    return __bfloat16_as_ushort(__int2bfloat16_rn(number));
  case 2: // tf32
    return __float_as_uint(float(number));
  default: // s8
    return uint32_t(number) & 255;
  }
}

// Packs this lane's registers of A (16 x k, row by row) and B (k x 8, row by row).
__device__ void pack(const int *a, const int *b, int kind, int bits, int k, uint32_t *ra, uint32_t *rb) {
  const int lane = threadIdx.x % 32, group = lane / 4, four = lane % 4, each = 32 / bits;
  for (int r = 0; r < k * bits / 64; r++) {
    int row = group + r % 2 * 8;
    ra[r] = 0;
    for (int e = 0; e < each; e++)
      ra[r] |= encode(a[row * k + r / 2 * 4 * each + four * each + e], kind) << (bits * e % 32);
  }
  for (int r = 0; r < k * bits / 128; r++) {
    rb[r] = 0;
    for (int e = 0; e < each; e++)
      rb[r] |= encode(b[(r * 4 * each + four * each + e) * 8 + group], kind) << (bits * e % 32);
  }
}

__device__ void unpack(const float *d, float *out) {
  const int lane = threadIdx.x % 32;
  for (int i = 0; i < 4; i++)
    out[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = d[i];
}

__global__ void multiply(const int *a, const int *b, float *out) {
  uint32_t ra[4], rb[2];
  float d[4];
  // 0: f16, k 16, sums in f32
  pack(a, b, 0, 16, 16, ra, rb);
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%10,%11,%11};"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
      : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]), "f"(1.0f), "f"(-2.0f));
  unpack(d, out);
  // 1: f16, k 8, sums in f16
  pack(a, b, 0, 16, 8, ra, rb);
  uint32_t h[2];
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3}, {%4}, {%5,%5};"
               : "=r"(h[0]), "=r"(h[1])
               : "r"(ra[0]), "r"(ra[1]), "r"(rb[0]), "r"(0));
  for (int i = 0; i < 4; i++)
    d[i] = __half2float(__ushort_as_half(uint16_t(h[i / 2] >> (16 * (i % 2)))));
  unpack(d, out + 128);
  // 2: bf16, k 16
  pack(a, b, 1, 16, 16, ra, rb);
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%10,%10,%10};"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
      : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]), "f"(0.0f));
  unpack(d, out + 256);
  // 3: tf32, k 8
  pack(a, b, 2, 32, 8, ra, rb);
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%10,%10,%10};"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
      : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]), "f"(0.0f));
  unpack(d, out + 384);
  // 4: s8, k 32
  pack(a, b, 3, 8, 32, ra, rb);
  int s[4];
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%10,%10,%10};"
      : "=r"(s[0]), "=r"(s[1]), "=r"(s[2]), "=r"(s[3])
      : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]), "r"(7));
  for (int i = 0; i < 4; i++)
    d[i] = float(s[i]);
  unpack(d, out + 512);
  // 5: s8, k 16
  pack(a, b, 3, 8, 16, ra, rb);
  asm volatile("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%7,%7,%7};"
               : "=r"(s[0]), "=r"(s[1]), "=r"(s[2]), "=r"(s[3])
               : "r"(ra[0]), "r"(ra[1]), "r"(rb[0]), "r"(0));
  for (int i = 0; i < 4; i++)
    d[i] = float(s[i]);
  unpack(d, out + 640);
}

// ldmatrix of four matrices, plain and transposed, and movmatrix of the first.
__global__ void load(const uint16_t *in, uint32_t *out) {
  __shared__ alignas(16) uint16_t rows[32][8];
  const int lane = threadIdx.x;
  for (int i = 0; i < 8; i++)
    rows[lane][i] = in[lane * 8 + i];
  __syncthreads();
  uint32_t address = uint32_t(__cvta_generic_to_shared(rows[lane])), r[9];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7])
               : "r"(address));
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(r[8]) : "r"(r[0]));
  for (int i = 0; i < 9; i++)
    out[i * 32 + lane] = r[i];
}

// 16 x 16 x 16 products of f16 in f32 and of s8, with one operand in column order. Every element is scaled between
// them.
__global__ void tiles(const __half *a, const __half *b, float *out, const int8_t *a8, const int8_t *b8, int *out8) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, __half, row_major> fa;
  fragment<matrix_b, 16, 16, 16, __half, col_major> fb;
  fragment<accumulator, 16, 16, 16, float> fc;
  load_matrix_sync(fa, a, 24);
  load_matrix_sync(fb, b, 16);
  fill_fragment(fc, 1.0f);
  mma_sync(fc, fa, fb, fc);
  for (int i = 0; i < fc.num_elements; i++)
    fc.x[i] = 2 * fc.x[i];
  mma_sync(fc, fa, fb, fc);
  store_matrix_sync(out, fc, 20, mem_row_major);
  fragment<matrix_a, 16, 16, 16, signed char, col_major> ga;
  fragment<matrix_b, 16, 16, 16, signed char, row_major> gb;
  fragment<accumulator, 16, 16, 16, int> gc;
  load_matrix_sync(ga, (const signed char *)a8, 16);
  load_matrix_sync(gb, (const signed char *)b8, 32);
  fill_fragment(gc, -3);
  mma_sync(gc, ga, gb, gc);
  store_matrix_sync(out8, gc, 16, mem_col_major);
}

template <typename T>
T *upload(const std::vector<T> &values) {
  T *p;
  CUDA(cudaMalloc(&p, values.size() * sizeof(T)));
  CUDA(cudaMemcpy(p, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return p;
}
template <typename T>
std::vector<T> download(T *p, size_t count) {
  std::vector<T> values(count);
  CUDA(cudaMemcpy(values.data(), p, count * sizeof(T), cudaMemcpyDeviceToHost));
  CUDA(cudaFree(p));
  return values;
}

int main() {
  Random random(11);
  std::vector<int> a(16 * 32), b(32 * 8);
  for (std::vector<int> *m : {&a, &b})
    for (int &v : *m)
      v = int(random.below(17)) - 8;
  int *da = upload(a), *db = upload(b);
  float *dOut = upload(std::vector<float>(6 * 128));
  multiply<<<1, 32>>>(da, db, dOut);
  std::vector<float> out = download(dOut, 6 * 128);
  const int ks[] = {16, 8, 16, 8, 32, 16};
  for (int form = 0; form < 6; form++)
    for (int row = 0; row < 16; row++)
      for (int column = 0; column < 8; column++) {
        int sum = form == 0 ? (row < 8 ? 1 : -2) : form == 4 ? 7 : 0, k = ks[form];
        for (int i = 0; i < k; i++)
          sum += a[row * k + i] * b[i * 8 + column];
        EXPECT(out[form * 128 + row * 8 + column] == float(sum), "form %d at %d, %d: %g, not %d", form, row, column,
               out[form * 128 + row * 8 + column], sum);
      }
  printf("mma %016llx\n", (unsigned long long)checksum(out));

  std::vector<uint16_t> rows(32 * 8);
  for (uint16_t &v : rows)
    v = uint16_t(random.next());
  uint16_t *dRows = upload(rows);
  uint32_t *dLoaded = upload(std::vector<uint32_t>(9 * 32));
  load<<<1, 32>>>(dRows, dLoaded);
  std::vector<uint32_t> loaded = download(dLoaded, 9 * 32);
  for (int lane = 0; lane < 32; lane++)
    for (int m = 0; m < 4; m++) {
      auto at = [&](int row, int column) { return uint32_t(rows[(m * 8 + row) * 8 + column]); };
      int group = lane / 4, two = lane % 4 * 2;
      EXPECT(loaded[m * 32 + lane] == (at(group, two) | at(group, two + 1) << 16), "matrix %d, lane %d", m, lane);
      uint32_t across = at(two, group) | at(two + 1, group) << 16;
      EXPECT(loaded[(4 + m) * 32 + lane] == across, "transposed matrix %d, lane %d", m, lane);
      EXPECT(m || loaded[8 * 32 + lane] == across, "moved, lane %d", lane);
    }
  printf("ldmatrix %016llx\n", (unsigned long long)checksum(loaded));

  std::vector<__half> ha(16 * 24), hb(16 * 16);
  std::vector<int8_t> a8(16 * 16), b8(16 * 32);
  for (std::vector<__half> *m : {&ha, &hb})
    for (__half &v : *m)
      v = __float2half(float(int(random.below(9)) - 4));
  for (std::vector<int8_t> *m : {&a8, &b8})
    for (int8_t &v : *m)
      v = int8_t(random.next());
  __half *dha = upload(ha), *dhb = upload(hb);
  int8_t *da8 = upload(a8), *db8 = upload(b8);
  float *dTile = upload(std::vector<float>(16 * 20));
  int *dTile8 = upload(std::vector<int>(16 * 16));
  tiles<<<1, 32>>>(dha, dhb, dTile, da8, db8, dTile8);
  std::vector<float> tile = download(dTile, 16 * 20);
  std::vector<int> tile8 = download(dTile8, 16 * 16);
  for (int row = 0; row < 16; row++)
    for (int column = 0; column < 16; column++) {
      float sum = 0;
      int sum8 = -3;
      for (int k = 0; k < 16; k++) {
        sum += __half2float(ha[row * 24 + k]) * __half2float(hb[column * 16 + k]);
        sum8 += a8[k * 16 + row] * b8[k * 32 + column];
      }
      EXPECT(tile[row * 20 + column] == 3 * sum + 2, "tile at %d, %d: %g", row, column, tile[row * 20 + column]);
      EXPECT(tile8[column * 16 + row] == sum8, "tile of s8 at %d, %d: %d", row, column, tile8[column * 16 + row]);
    }
  printf("wmma %016llx\n", (unsigned long long)checksum(tile8));
  for (void *p : {(void *)da, (void *)db, (void *)dRows, (void *)dha, (void *)dhb, (void *)da8, (void *)db8})
    CUDA(cudaFree(p));
  return passed();
}
