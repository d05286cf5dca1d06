// Accesses to several fields that are not overflows: (&v.x)[i], matrices as one row, the first member as the whole
// struct, the struct from a pointer to its member, functions whose names begin with atomic, flexible arrays, arrays of
// one element at the end, unions, bases, bit fields, memcpy over several fields.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
#include "../cpu/inputs/buffer.h"
#include <cstddef>

struct Vector {
  float x, y, z;
  __device__ float &operator[](int i) { return (&x)[i]; }
};
struct Matrix {
  float m[4][4];
};
struct Header {
  int count;
  int values[1];
};
struct Flexible {
  int count;
  int values[];
};
struct Base {
  int id;
  int data[4];
};
struct Derived : Base {
  int more[4];
};
struct Mixed {
  int a[2];
  int b[2];
  unsigned bits : 5, others : 27;
  union {
    int whole[4];
    struct {
      int first[2], second[2];
    } parts;
  };
};

static __attribute__((noinline)) __device__ Derived *whole_of(int *more) {
  return reinterpret_cast<Derived *>(reinterpret_cast<char *>(more) - offsetof(Derived, more));
}

static __attribute__((noinline)) __device__ int sum_words(const int *words, int count) {
  int total = 0;
  for (int i = 0; i < count; ++i)
    total += words[i];
  return total;
}

__global__ void fields(Vector *vectors, Matrix *matrix, Header *header, Flexible *flexible, Derived *derived,
                       Mixed *mixed, int count, float *floats, int *ints) {
  float sum = 0;
  for (int i = 0; i < 3; ++i)
    sum += vectors[1][i];
  float *flat = &matrix->m[0][0];
  for (int i = 0; i < 16; ++i)
    sum += flat[i];
  for (float *p = matrix->m[1]; p != matrix->m[3]; ++p)
    sum += *p;
  *floats = sum;
  int total = 0;
  for (int i = 0; i < count; ++i)
    total += header->values[i] + flexible->values[i];
  int *more = derived->more;
  Base *base = derived;
  total += whole_of(more)->id + base->data[count & 3] + static_cast<Derived *>(base)->more[count & 3];
  total += *reinterpret_cast<int *>(derived); // id
  for (int i = 0; i < 4; ++i)
    total += mixed->whole[i];
  int copy[4];
  memcpy(copy, mixed->a, sizeof copy); // a and b
  total += copy[3] + mixed->bits + mixed->parts.second[count & 1];
  total += sum_words(reinterpret_cast<int *>(derived), sizeof(Derived) / sizeof(int));
  *ints = total;
}

struct Bins {
  int counts[4], others[4];
};

// No atomic of CUDA's: touches the address only if the condition holds.
static __device__ void atomicAddIf(int *address, int value, bool condition) {
  if (condition)
    atomicAdd(address, value);
}

__global__ void count_some(Bins *bins) {
  atomicAddIf(&bins->counts[threadIdx.x], 2, threadIdx.x < 4);
}

int main() {
  const int count = 10;
  std::vector<float> six = {1, 2, 3, 4, 5, 6}, sixteen(16, 1);
  std::vector<int> header(count + 1, 1), derived(9, 2);
  Mixed mixed = {{1, 2}, {3, 4}, 5, 6, {{7, 8, 9, 10}}};
  Buffer<float> vectors(six), matrix(sixteen), floats(1);
  Buffer<int> first(header), second(header), third(derived), ints(1);
  Buffer<Mixed> fourth(std::vector<Mixed>{mixed});
  fields<<<1, 1>>>(reinterpret_cast<Vector *>(vectors.data), reinterpret_cast<Matrix *>(matrix.data),
                   reinterpret_cast<Header *>(first.data), reinterpret_cast<Flexible *>(second.data),
                   reinterpret_cast<Derived *>(third.data), fourth, count, floats, ints);
  Buffer<Bins> bins(1);
  count_some<<<1, 8>>>(bins);
  EXPECT(bins.host()[0].counts[3] == 2 && bins.host()[0].others[0] == 0, "%d", bins.host()[0].counts[3]);
  EXPECT(floats.host()[0] == 15 + 16 + 8, "%g", floats.host()[0]);
  EXPECT(ints.host()[0] == 20 + 6 + 2 + 34 + 4 + 5 + 9 + 18, "%d", ints.host()[0]);
  return passed();
}
