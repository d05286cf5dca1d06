// Virtual calls on objects that kernels construct: in local memory, in global memory across launches, in the device
// heap. Multiple and virtual inheritance, pure functions, virtual destructors, and calls with a barrier.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"
#include <new>

struct Shape {
  int scale;
  __device__ explicit Shape(int s) : scale(s) {}
  __device__ virtual int area() const = 0;
  __device__ virtual int twice() const { return 2 * area(); }
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  int side;
  __device__ Square(int s, int a) : Shape(s), side(a) {}
  __device__ int area() const override { return scale * side * side; }
};
struct Named {
  int name;
  __device__ virtual int id() const { return name; }
  __device__ virtual ~Named() {}
};
struct Box : Named, Square {
  __device__ Box(int s, int a, int n) : Square(s, a) { name = n; }
  __device__ int area() const override { return Square::area() + 1; }
  __device__ int id() const override { return name * 10; }
};
__device__ int destroyed;
struct Counted : Shape {
  int *cell;
  __device__ Counted(int *c) : Shape(1), cell(c) {}
  __device__ int area() const override { return *cell; }
  __device__ ~Counted() override { atomicAdd(&destroyed, 1); }
};
struct Base {
  int value;
  __device__ virtual int get() const { return value; }
};
struct Left : virtual Base {
  __device__ int get() const override { return value + 1; }
};
struct Right : virtual Base {};
struct Diamond : Left, Right {
  __device__ Diamond(int v) { value = v; }
};

struct Step {
  __device__ virtual int run(int *shared, int value) = 0;
};
struct Rotate : Step {
  __device__ int run(int *shared, int value) override {
    shared[threadIdx.x] = value;
    __syncthreads();
    const int result = shared[(threadIdx.x + 1) % blockDim.x];
    __syncthreads();
    return result;
  }
};
struct Add : Step {
  int amount;
  __device__ int run(int *, int value) override { return value + amount; }
};

union Storage {
  char square[sizeof(Square)], box[sizeof(Box)];
  long long align;
};

__global__ void make(Storage *storage, Shape **shapes, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  if (i % 3 == 0)
    shapes[i] = new (&storage[i]) Square(2, i);
  else if (i % 3 == 1)
    shapes[i] = new (&storage[i]) Box(3, i, i + 5);
  else
    shapes[i] = new Counted(new int(i * 7));
}

__global__ void use(Shape **shapes, int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const Shape *shape = shapes[n - 1 - i];
  int result = shape->area() * 3 + shape->twice();
  if ((n - 1 - i) % 3 == 1)
    result += static_cast<const Named *>(static_cast<const Box *>(shape))->id();
  Diamond diamond(i);
  const Base &base = diamond;
  out[i] = result + base.get();
}

__global__ void end(Shape **shapes, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  if (i % 3 == 2) {
    delete static_cast<Counted *>(shapes[i])->cell;
    delete shapes[i];
  } else {
    shapes[i]->~Shape();
  }
}

__global__ void steps(int *out) {
  extern __shared__ int shared[];
  Rotate rotate;
  Add add;
  add.amount = threadIdx.x;
  Step *program[] = {&rotate, &add, &rotate, &rotate, &add};
  int value = threadIdx.x;
  for (Step *step : program)
    value = step->run(shared, value);
  out[threadIdx.x] = value;
}

int main() {
  CUDA(cudaDeviceSetLimit(cudaLimitStackSize, 8 << 10)); // the compiler does not know the stack size of indirect calls
  const int n = 500;
  Storage *storage;
  Shape **shapes;
  int *dOut, count = 0;
  std::vector<int> out(n);
  CUDA(cudaMalloc(&storage, n * sizeof(Storage)));
  CUDA(cudaMalloc(&shapes, n * sizeof(Shape *)));
  CUDA(cudaMalloc(&dOut, n * sizeof(int)));
  make<<<4, 128>>>(storage, shapes, n);
  CUDA(cudaGetLastError());
  use<<<4, 128>>>(shapes, dOut, n);
  CUDA(cudaGetLastError());
  end<<<4, 128>>>(shapes, n);
  CUDA(cudaGetLastError());
  CUDA(cudaMemcpy(out.data(), dOut, n * sizeof(int), cudaMemcpyDeviceToHost));
  CUDA(cudaMemcpyFromSymbol(&count, destroyed, sizeof count));
  for (int i = 0; i < n; ++i) {
    const int k = n - 1 - i;
    const int area = k % 3 == 0 ? 2 * k * k : k % 3 == 1 ? 3 * k * k + 1 : 7 * k;
    const int expected = 5 * area + (k % 3 == 1 ? (k + 5) * 10 : 0) + i + 1;
    EXPECT(out[i] == expected, "%d: %d, not %d", i, out[i], expected);
  }
  EXPECT(count == n / 3, "%d objects destroyed", count);
  printf("shapes %016llx\n", (unsigned long long)checksum(out));
  const int threads = 96;
  steps<<<1, threads, threads * sizeof(int)>>>(dOut);
  CUDA(cudaGetLastError());
  CUDA(cudaMemcpy(out.data(), dOut, threads * sizeof(int), cudaMemcpyDeviceToHost));
  for (int t = 0; t < threads; ++t) {
    auto added = [&](int i) { return (i + 1) % threads + i; };
    EXPECT(out[t] == added((t + 2) % threads) + t, "thread %d: %d", t, out[t]);
  }
  printf("steps %016llx\n", (unsigned long long)checksum(out.data(), threads * sizeof(int)));
  CUDA(cudaFree(storage));
  CUDA(cudaFree(shapes));
  CUDA(cudaFree(dOut));
  return passed();
}
