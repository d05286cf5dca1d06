/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Rotary position embedding: pairs of a head's elements turn by angles that depend on their token's position.
// The program stands for pairs at a distance of half a row, and for rows of a table that an array of positions chooses.
#include "../program.h"

// Row p of the table has the cosines of position p's angles, then the sines.
__device__ void turn(float *head, const float *row, int pair, int half) {
  float cosine = row[pair], sine = row[half + pair];
  float x = head[pair], y = head[pair + half];
  head[pair] = x * cosine - y * sine;
  head[pair + half] = y * cosine + x * sine;
}

__global__ void embed_positions(const int *positions, float *queries, float *keys, const float *table, int heads,
                                int key_heads, int head_size, long long query_stride, long long key_stride) {
  const int token = blockIdx.x;
  const int half = head_size / 2;
  const float *row = table + (long long)positions[token] * head_size;
  for (int i = threadIdx.x; i < heads * half; i += blockDim.x) {
    int head = i / half;
    turn(queries + token * query_stride + head * head_size, row, i % half, half);
  }
  for (int i = threadIdx.x; i < key_heads * half; i += blockDim.x) {
    int head = i / half;
    turn(keys + token * key_stride + head * head_size, row, i % half, half);
  }
}

static double angle(int position, int pair, int half) {
  return position / pow(10000.0, double(pair) / half);
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  int tokens = program.size(20, 8000), heads = program.size(3, 32), key_heads = program.size(1, 8);
  int head_size = program.size(24, 128), half = head_size / 2, places = program.size(50, 4096);
  size_t query_count = size_t(tokens) * heads * head_size, key_count = size_t(tokens) * key_heads * head_size;
  std::vector<float> table(size_t(places) * head_size);
  std::vector<int> positions(tokens);
  for (int place = 0; place < places; place++)
    for (int pair = 0; pair < half; pair++) {
      table[size_t(place) * head_size + pair] = cos(angle(place, pair, half));
      table[size_t(place) * head_size + half + pair] = sin(angle(place, pair, half));
    }
  for (int token = 0; token < tokens; token++)
    positions[token] = scramble(token) % places;
  float *queries = program.allocate<float>(query_count), *keys = program.allocate<float>(key_count);
  float *device_table = program.allocate_copy(table);
  int *device_positions = program.allocate_copy(positions);
  program.time(
      [&] {
        Program::fill(queries, query_count, MakeUnits{0});
        Program::fill(keys, key_count, MakeUnits{1});
      },
      [&] {
        embed_positions<<<tokens, std::min(512, heads * half)>>>(device_positions, queries, keys, device_table, heads,
                                                                 key_heads, head_size, heads * head_size,
                                                                 key_heads * head_size);
      });
  auto wanted = [&](int array, size_t i, size_t row_size) {
    int in_head = i % head_size, pair = in_head % half, position = positions[i / row_size];
    double x = unit(array, i - in_head + pair), y = unit(array, i - in_head + pair + half);
    double cosine = cos(angle(position, pair, half)), sine = sin(angle(position, pair, half));
    return in_head < half ? x * cosine - y * sine : y * cosine + x * sine;
  };
  auto check_query = [&](size_t i) { return fabs(fetch(queries + i) - wanted(0, i, heads * head_size)) < 1e-4; };
  auto check_key = [&](size_t i) { return fabs(fetch(keys + i) - wanted(1, i, key_heads * head_size)) < 1e-4; };
  return program.finish(program.verify(query_count, check_query) && program.verify(key_count, check_key));
}
