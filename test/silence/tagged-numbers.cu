// Loaded numbers that are an address or a distance from one, as other bits of the same memory say.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
#include "../cpu/inputs/buffer.h"
#include <cstdint>

struct Reference {
  uintptr_t number;
  int kind; // 0: a distance from the base, 1: an address
};

__global__ void follow(const Reference *references, const char *base, int count, int *out) {
  int total = 0;
  for (int i = 0; i < count; ++i) {
    const uintptr_t number = references[i].number;
    total = 10 * total + (references[i].kind ? *(const int *)number : *(const int *)(base + number));
  }
  *out = total;
}

// All of them are in the kernel's arguments.
struct Arguments {
  uintptr_t number, base;
  int isAddress, index;
};
__global__ void argument(Arguments a, int *out) {
  int total = 0;
  if (a.isAddress)
    total = *(const int *)(a.number + 4 * (uintptr_t)threadIdx.x);
  else
    total = *(const int *)(a.base + a.number);
  *out = total;
}

__global__ void argument_chosen(Arguments a, int *out) {
  if (a.isAddress)
    *(volatile int *)a.number += 1;
  uintptr_t place = a.number;
  if (!a.isAddress)
    place += a.base;
  __syncthreads();
  *out = *(const int *)place;
}
__global__ void argument_walk(Arguments a, int *out) {
  uintptr_t place = a.number;
  int total = 0;
  for (int i = 0; i < 3 + a.index; ++i) {
    if (a.isAddress) {
      total = 10 * total + *(volatile int *)place;
      place += 4;
    } else {
      place += a.base;
      a.isAddress = 1;
    }
  }
  *out = total;
}

__global__ void pointer(uintptr_t number, const char *base, int isAddress, int *out) {
  *out = isAddress ? *(const int *)(number + 4 * (uintptr_t)threadIdx.x) : *(const int *)(base + number);
}

// The address is used alone first, or is a distance. Then one access has either address.
__global__ void merged(uintptr_t number, uintptr_t base, int isAddress, int count, int *out) {
  uintptr_t place = number;
  if (isAddress)
    *(volatile int *)number += 1;
  else
    place = base + number;
  int total = 0;
  for (int i = 0; i < count; ++i, place += 4)
    total = 10 * total + *(const int *)place;
  *out = total;
}

// The address is chosen twice.
__global__ void chosen(uintptr_t number, uintptr_t base, int isAddress, int *out) {
  uintptr_t place = number;
  if (isAddress)
    *(volatile int *)number += 1;
  else
    place = base + number;
  uintptr_t next = place + 4 * (uintptr_t)threadIdx.x;
  if (isAddress)
    next = number + 4 * (uintptr_t)threadIdx.x;
  *(volatile int *)next += 1;
  *out = *(const int *)(place + 4);
}

// A function has the access.
__device__ __noinline__ int get(uintptr_t place) {
  return *(const volatile int *)place;
}
__global__ void passed_on(uintptr_t number, uintptr_t base, int isAddress, int *out) {
  if (isAddress)
    *out = get(number);
  else
    *out = get(number + base);
}

// It is never used alone.
__global__ void together(uintptr_t number, uintptr_t base, int isAddress, int *out) {
  const uintptr_t place = isAddress ? number : number + base;
  __syncthreads();
  *out = *(const int *)place;
}

// Each of two numbers is the address in one of the cases.
__global__ void exchanged(uintptr_t first, uintptr_t second, int isFirst, int *out) {
  if (isFirst)
    *(volatile int *)first += 1;
  const uintptr_t place = isFirst ? first : second, distance = isFirst ? second : first;
  *out = *(const int *)(place + distance);
}

// A link into one copy of an object becomes one into another copy.
__global__ void relocate(const uintptr_t *links, uintptr_t from, uintptr_t to, int *out) {
  const uintptr_t link = *links;
  *out = 10 * *(const int *)link + *(const int *)(link - from + to);
}

#define GIVES(number) EXPECT(out.host()[0] == (number), "%d", out.host()[0])

int main() {
  Buffer<int> a(std::vector<int>{1, 2, 3}), b(std::vector<int>{4, 5, 6}), out(1);
  const std::vector<Reference> list = {{4, 0}, {(uintptr_t)b.data, 1}, {8, 0}};
  Buffer<Reference> references(list);
  follow<<<1, 1>>>(references, (const char *)a.data, 3, out);
  GIVES(243);
  argument<<<1, 1>>>({(uintptr_t)b.data, 0, 1, 0}, out);
  GIVES(4);
  argument<<<1, 1>>>({8, (uintptr_t)a.data, 0, 0}, out);
  GIVES(3);
  argument_walk<<<1, 1>>>({(uintptr_t)b.data, 0, 1, 0}, out);
  GIVES(456);
  argument_walk<<<1, 1>>>({4, (uintptr_t)b.data, 0, 0}, out);
  GIVES(56);
  argument_chosen<<<1, 1>>>({(uintptr_t)b.data, 0, 1, 0}, out);
  GIVES(5);
  argument_chosen<<<1, 1>>>({4, (uintptr_t)b.data, 0, 0}, out);
  GIVES(5);
  pointer<<<1, 1>>>((uintptr_t)b.data, nullptr, 1, out);
  GIVES(5);
  pointer<<<1, 1>>>(8, (const char *)a.data, 0, out);
  GIVES(3);
  merged<<<1, 1>>>((uintptr_t)a.data, 0, 1, 3, out);
  GIVES(223);
  merged<<<1, 1>>>(4, (uintptr_t)a.data, 0, 2, out);
  GIVES(23);
  merged<<<1, 1>>>((uintptr_t)a.data, 4, 0, 2, out);
  GIVES(23);
  exchanged<<<1, 1>>>((uintptr_t)a.data, 4, 1, out);
  GIVES(2);
  exchanged<<<1, 1>>>(8, (uintptr_t)a.data, 0, out);
  GIVES(3);
  chosen<<<1, 1>>>((uintptr_t)b.data, 0, 1, out);
  GIVES(5);
  chosen<<<1, 1>>>(4, (uintptr_t)b.data, 0, out);
  GIVES(6);
  passed_on<<<1, 1>>>((uintptr_t)b.data, 0, 1, out);
  GIVES(7);
  passed_on<<<1, 1>>>(4, (uintptr_t)b.data, 0, out);
  GIVES(6);
  together<<<1, 1>>>((uintptr_t)b.data, 8, 1, out);
  GIVES(7);
  together<<<1, 1>>>(4, (uintptr_t)b.data, 0, out);
  GIVES(6);
  Buffer<uintptr_t> links(std::vector<uintptr_t>{(uintptr_t)(b.data + 1)});
  relocate<<<1, 1>>>(links, (uintptr_t)b.data, (uintptr_t)a.data, out);
  GIVES(62);
  return passed();
}
