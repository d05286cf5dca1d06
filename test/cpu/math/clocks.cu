// clock, clock64 and the global timer never go back within a thread, and advance over work and __nanosleep. The timer
// counts about as many nanoseconds as the host.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
#include "../inputs/ulp.h"
#include <chrono>

struct Times {
  long long clock64[4];
  unsigned long long timer[4];
  unsigned ticks;
  int backwards;
};

__device__ unsigned long long globalTimer() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__global__ void measure(Times *out, volatile int *sink) {
  Times t = {};
  t.clock64[0] = clock64(), t.timer[0] = globalTimer();
  unsigned start = (unsigned)clock();
  long long last = clock64();
  for (int i = 0; i < 2000; ++i) {
    *sink = i;
    long long now = clock64();
    t.backwards += now < last;
    last = now;
  }
  t.ticks = (unsigned)clock() - start;
  t.clock64[1] = clock64(), t.timer[1] = globalTimer();
  __nanosleep(1000);
  t.clock64[2] = clock64(), t.timer[2] = globalTimer();
  while (globalTimer() - t.timer[2] < 5000000) { // 5 ms
  }
  t.clock64[3] = clock64(), t.timer[3] = globalTimer();
  out[blockIdx.x * blockDim.x + threadIdx.x] = t;
}

int main() {
  const int n = 4;
  Buffer<Times> out(n);
  Buffer<int> sink(1);
  auto before = std::chrono::steady_clock::now();
  measure<<<n, 1>>>(out, sink);
  std::vector<Times> have = out.host();
  double elapsed = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - before).count();
  EXPECT(elapsed >= 5e6, "5 ms of the device were %g ns", elapsed);
  for (const Times &t : have) {
    EXPECT(t.backwards == 0 && t.ticks > 0, "%d steps backwards, %u ticks", t.backwards, t.ticks);
    for (int k = 1; k < 4; ++k)
      EXPECT(t.clock64[k] > t.clock64[k - 1] && t.timer[k] >= t.timer[k - 1], "step %d: %lld %lld", k, t.clock64[k - 1],
             t.clock64[k]);
    unsigned long long waited = t.timer[3] - t.timer[2];
    EXPECT(waited >= 5000000 && double(t.timer[3] - t.timer[0]) <= elapsed * 1.5 + 2e6, "waited %llu ns of %g", waited,
           elapsed);
  }
  return passed();
}
