// Pointers stored as a distance to another allocation, from their own address or from the start of their object.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
#include "../cpu/inputs/buffer.h"
#include <cstddef>
#include <cstdint>

// Like boost::interprocess::offset_ptr; 1 is null.
template <typename T>
class OffsetPtr {
  struct Internal {
    uintptr_t offset;
  } internal;

  __host__ __device__ static uintptr_t to_offset(const volatile void *to, const volatile void *self) {
    return to ? uintptr_t(to) - uintptr_t(self) : 1;
  }
  __host__ __device__ static void *to_raw(const volatile void *self, uintptr_t offset) {
    return offset == 1 ? nullptr : reinterpret_cast<void *>(uintptr_t(self) + offset);
  }

public:
  __host__ __device__ OffsetPtr(T *to = nullptr) { internal.offset = to_offset(to, this); }
  __host__ __device__ OffsetPtr(const OffsetPtr &other) { internal.offset = to_offset(other.get(), this); }
  __host__ __device__ OffsetPtr &operator=(const OffsetPtr &other) {
    internal.offset = to_offset(other.get(), this);
    return *this;
  }
  __host__ __device__ T *get() const { return static_cast<T *>(to_raw(this, internal.offset)); }
  __host__ __device__ T &operator*() const { return *get(); }
  __host__ __device__ T *operator->() const { return get(); }
  __host__ __device__ T &operator[](ptrdiff_t i) const { return get()[i]; }
  __host__ __device__ explicit operator bool() const { return internal.offset != 1; }
};

// The same with a signed distance in bytes, and by pointer arithmetic.
template <typename T>
struct Relative {
  ptrdiff_t offset;
  __host__ __device__ T *get() const { return (T *)((char *)this + offset); }
  __host__ __device__ void set(const T *to) { offset = (const char *)to - (const char *)this; }
};

// From a variable in shared or local memory to another memory space, the distance must be an integer: pointer
// arithmetic stays in the space that the compiler knows.
template <typename T>
struct RelativeInteger {
  uintptr_t offset;
  __device__ T *get() const { return (T *)((uintptr_t)this + offset); }
  __device__ void set(const T *to) { offset = (uintptr_t)to - (uintptr_t)this; }
};

struct Node {
  int value;
  OffsetPtr<Node> left, right;
  OffsetPtr<int> values; // `value` is their number
};

__global__ void link(Node *parent, Node *left, Node *right, int *values, int value) {
  parent->left = left;
  parent->right = right;
  parent->values = OffsetPtr<int>(values);
  parent->value = value;
  for (int i = 0; i < value; ++i)
    values[i] = value + i;
}

__device__ __noinline__ int sum_of(const OffsetPtr<Node> &node) {
  if (!node)
    return 0;
  int total = 0;
  for (int i = 0; i < node->value; ++i)
    total += node->values[i];
  return total + 3 * sum_of(node->left) + 5 * sum_of(node->right);
}

__global__ void recursive(Node *root, int *out) {
  OffsetPtr<Node> local(root);
  *out = sum_of(local);
}

__global__ void leftmost(Node *root, int *out) { // also uses a node in local memory
  int total = 0;
  for (OffsetPtr<Node> at = root; at; at = at->left)
    total = 10 * total + at->value;
  *out = total;
}

__global__ void leftmost_plain(Node *root, int *out) {
  int total = 0;
  for (Node *at = root; at; at = at->left.get())
    total = 10 * total + at->value;
  *out = total;
}

struct Item {
  int value;
  Relative<Item> next; // 0 is null
};

__global__ void chain(Item *const *items, int count) {
  for (int i = 0; i < count; ++i) {
    items[i]->value = i + 1;
    if (i + 1 < count)
      items[i]->next.set(items[i + 1]);
    else
      items[i]->next.offset = 0;
  }
}

__global__ void walk(const Item *item, int *out) {
  int total = 0;
  for (;;) {
    total = 10 * total + item->value;
    if (!item->next.offset)
      break;
    item = item->next.get();
  }
  *out = total;
}

// A distance from the object's start, which functions return or get as an argument.
struct Record {
  int value;
  long long next;
  __device__ __noinline__ long long distance() const { return next; }
};

__device__ __noinline__ Record *advance(const Record *from, long long by) {
  return (Record *)((char *)from + by);
}

__device__ __noinline__ void put(char *start, long long at, int value) {
  *(int *)(start + at) = value;
}

__global__ void records(Record *a, Record *b, Record *c, int *out) {
  a->next = (char *)b - (char *)a;
  b->next = (char *)c - (char *)b;
  c->next = 0;
  __threadfence();
  b->value = 4;
  put((char *)b, b->next, 7);
  Record *second = (Record *)((char *)a + a->distance());
  *out = 10 * second->value + advance(second, second->next)->value;
}

__global__ void between_variables(int *global, int *out) {
  __shared__ Relative<int> to_shared;
  __shared__ RelativeInteger<int> to_global;
  __shared__ int tile[32];
  Relative<int> to_local;
  int local[4] = {1, 2, 3, 4};
  tile[threadIdx.x] = threadIdx.x;
  if (threadIdx.x == 0) {
    to_shared.set(tile);
    to_global.set(global);
  }
  to_local.set(local);
  __syncthreads();
  out[threadIdx.x] = to_shared.get()[31 - threadIdx.x] + to_global.get()[threadIdx.x] + to_local.get()[threadIdx.x % 4];
}

// The distance is behind other members, and in one of two variables.
__global__ void between_members(int *global, int which, int *out) {
  __shared__ struct {
    long long before;
    RelativeInteger<int> to_global;
  } first, second;
  first.to_global.set(global);
  second.to_global.set(global + 1);
  __syncthreads();
  auto &either = which ? second : first;
  *out = 100 * first.to_global.get()[0] + either.to_global.get()[0];
}

// Distances of 32 bits in one buffer, as in flatbuffers. The last one leads to another allocation if that is near
// enough.
__global__ void narrow(int *words, int *other, int *out) {
  const char *at = (const char *)words;
  for (int i = 0; i < 3; ++i)
    at += *(const unsigned *)at;
  *out = *(const int *)at;
  const long long distance = (char *)other - (char *)words;
  if (distance == int(distance)) {
    words[0] = int(distance);
    *out += *(const int *)((char *)words + words[0]);
  } else {
    *out += *other;
  }
}

static int expected(int depth, int index) {
  if (depth == 4)
    return 0;
  int value = index % 3 + 1, total = 0;
  for (int i = 0; i < value; ++i)
    total += value + i;
  return total + 3 * expected(depth + 1, 2 * index + 1) + 5 * expected(depth + 1, 2 * index + 2);
}

template <typename Allocate>
void trees(int *out, Allocate allocate) {
  const int count = 15;
  Node *nodes[count];
  int *values[count];
  for (int i = 0; i < count; ++i) {
    allocate((void **)&nodes[i], sizeof(Node));
    allocate((void **)&values[i], (i % 3 + 1) * sizeof(int));
  }
  for (int i = 0; i < count; ++i) {
    const bool inner = 2 * i + 2 < count;
    link<<<1, 1>>>(nodes[i], inner ? nodes[2 * i + 1] : nullptr, inner ? nodes[2 * i + 2] : nullptr, values[i],
                   i % 3 + 1);
  }
  int result;
  recursive<<<1, 1>>>(nodes[0], out);
  CUDA(cudaMemcpy(&result, out, sizeof result, cudaMemcpyDefault));
  EXPECT(result == expected(0, 0), "%d, not %d", result, expected(0, 0));
  leftmost<<<1, 1>>>(nodes[0], out);
  CUDA(cudaMemcpy(&result, out, sizeof result, cudaMemcpyDefault));
  EXPECT(result == 1212, "%d", result);
  leftmost_plain<<<1, 1>>>(nodes[0], out);
  CUDA(cudaMemcpy(&result, out, sizeof result, cudaMemcpyDefault));
  EXPECT(result == 1212, "%d", result);
  for (int i = 0; i < count; ++i) {
    cudaFree(nodes[i]);
    cudaFree(values[i]);
  }
}

int main() {
  Buffer<int> out(32);
  trees(out, [](void **to, size_t size) { CUDA(cudaMalloc(to, size)); });
  trees(out, [](void **to, size_t size) { CUDA(cudaMallocManaged(to, size)); });
  Buffer<Item> one(1), two(1), three(1);
  Item *host[] = {three, one, two};
  Buffer<Item *> items(std::vector<Item *>(host, host + 3));
  chain<<<1, 1>>>(items, 3);
  walk<<<1, 1>>>(three, out);
  EXPECT(out.host()[0] == 123, "%d", out.host()[0]);
  Buffer<Record> a(1), b(1), c(1);
  records<<<1, 1>>>(b, c, a, out);
  EXPECT(out.host()[0] == 47, "%d", out.host()[0]);
  Buffer<int> global(std::vector<int>(32, 100));
  between_variables<<<1, 32>>>(global, out);
  EXPECT(out.host()[3] == 28 + 100 + 4, "%d", out.host()[3]);
  Buffer<int> pair(std::vector<int>{3, 4});
  between_members<<<1, 1>>>(pair, 1, out);
  EXPECT(out.host()[0] == 304, "%d", out.host()[0]);
  Buffer<int> words(std::vector<int>{8, 0, 4, 8, 0, 42}), other(std::vector<int>(1, 9));
  narrow<<<1, 1>>>(words, other, out);
  EXPECT(out.host()[0] == 51, "%d", out.host()[0]);
  return passed();
}
