/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The edit distance of each word to the next word of a text.
// Stands for byte strings between offsets that an array gives, and for a private array with a row of a table.
#include "../program.h"

constexpr int kMostLetters = 24;

struct Words {
  const char *text;
  const int *offsets; // one more than words
  int count;
};

__host__ __device__ int least_of(int a, int b, int c) {
  int least = a < b ? a : b;
  return least < c ? least : c;
}

__host__ __device__ int find_distance(const char *a, int a_length, const char *b, int b_length) {
  unsigned char row[kMostLetters + 1];
  for (int j = 0; j <= b_length; j++)
    row[j] = (unsigned char)j;
  for (int i = 1; i <= a_length; i++) {
    int diagonal = row[0];
    row[0] = (unsigned char)i;
    for (int j = 1; j <= b_length; j++) {
      int above = row[j], cost = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = (unsigned char)least_of(above + 1, row[j - 1] + 1, diagonal + cost);
      diagonal = above;
    }
  }
  return row[b_length];
}

__global__ void compare_words(Words words, unsigned char *distances) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= words.count)
    return;
  int next = (i + 1) % words.count;
  int begin = words.offsets[i], end = words.offsets[i + 1];
  int next_begin = words.offsets[next], next_end = words.offsets[next + 1];
  if (end - begin > kMostLetters || next_end - next_begin > kMostLetters) {
    distances[i] = 255;
    return;
  }
  distances[i] =
      (unsigned char)find_distance(words.text + begin, end - begin, words.text + next_begin, next_end - next_begin);
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  int count = program.size(600, 12 << 20);
  // A few words are too long.
  std::vector<int> offsets(1);
  for (int i = 0; i < count; i++)
    offsets.push_back(offsets.back() + 1 + scramble(i) % (kMostLetters + scramble(~i) % 2));
  auto letter = [] __host__ __device__(size_t i) { return char('a' + scramble(i + (1ull << 40)) % 5); };
  char *text = program.allocate_made<char>(offsets.back(), letter);
  Words words = {text, program.allocate_copy(offsets), count};
  unsigned char *distances = program.allocate<unsigned char>(count);
  program.time([&] { compare_words<<<divide_up(count, 128), 128>>>(words, distances); });
  auto check = [&](size_t i) {
    std::vector<int> table;
    int next = (i + 1) % count, rows = offsets[i + 1] - offsets[i], columns = offsets[next + 1] - offsets[next];
    for (int y = 0; y <= rows; y++)
      for (int x = 0; x <= columns; x++) {
        int at = y * (columns + 1) + x;
        table.push_back(x == 0 || y == 0 ? x + y
                                         : least_of(table[at - 1] + 1, table[at - columns - 1] + 1,
                                                    table[at - columns - 2] +
                                                        (letter(offsets[i] + y - 1) != letter(offsets[next] + x - 1))));
      }
    return fetch(distances + i) == (std::max(rows, columns) > kMostLetters ? 255 : table.back());
  };
  return program.finish(program.verify(count, check, kMostLetters * kMostLetters));
}
