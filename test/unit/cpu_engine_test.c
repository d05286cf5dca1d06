/* The SIMT engine: blocks, barriers, the grid, and the end of threads and launches. The kernels are written in C and
 * call the functions that retargeted code calls. */
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "base/abi.h"
#include "device/cpu/cpu.h"
#include "test/unit/cpu_kernels.h"

/* As the pass makes it for kernels that never wait. */
static void loop(void (*thread)(void **), void **arguments) {
  for (uint32_t linear = self.linear; linear < self.nthreads; linear++) {
    self.linear = linear;
    self.tid[0] = linear % self.ntid[0];
    self.tid[1] = linear / self.ntid[0] % self.ntid[1];
    self.tid[2] = linear / self.ntid[0] / self.ntid[1];
    thread(arguments);
  }
}

static void k_indices(void **arguments) {
  uint32_t *out = ARGUMENT(uint32_t *, 0);
  out[thread_of_grid()] = self.tid[0] | self.tid[1] << 10 | self.tid[2] << 20 | self.ctaid[0] << 26;
}
static void k_indices_block(void **arguments) {
  loop(k_indices, arguments);
}

/* Sum of the block's indices by a tree in shared memory. */
static void k_tree_sum(void **arguments) {
  uint32_t *shared = (uint32_t *)self.shared, *out = ARGUMENT(uint32_t *, 0);
  shared[self.linear] = self.linear + block_of();
  gasan_cpu_barrier(0, 0);
  for (uint32_t half = self.nthreads / 2; half; half /= 2) {
    if (self.linear < half)
      shared[self.linear] += shared[self.linear + half];
    gasan_cpu_barrier(0, 0);
  }
  if (self.linear == 0)
    out[block_of()] = shared[0];
}

static void k_barrier_reduce(void **arguments) {
  uint32_t *out = ARGUMENT(uint32_t *, 0);
  uint32_t odd = self.linear & 1;
  for (uint32_t round = 0; round < 3; round++) {
    uint32_t *row = out + (round * self.nthreads + self.linear) * 5;
    row[0] = gasan_cpu_barrier_reduce(0, 0, GASAN_BARRIER_POPC, odd);
    row[1] = gasan_cpu_barrier_reduce(0, 0, GASAN_BARRIER_AND, odd);
    row[2] = gasan_cpu_barrier_reduce(0, 0, GASAN_BARRIER_OR, odd);
    row[3] = gasan_cpu_barrier_reduce(0, 0, GASAN_BARRIER_AND, 7);
    row[4] = gasan_cpu_barrier_reduce(0, 0, GASAN_BARRIER_OR, 0);
  }
}

/* Producer half arrives, consumer half waits; then each half has a barrier of its own, used twice. */
static void k_named_barriers(void **arguments) {
  uint32_t *shared = (uint32_t *)self.shared, *out = ARGUMENT(uint32_t *, 0);
  uint32_t half = self.nthreads / 2, own = self.linear < half ? 2 : 3;
  if (self.linear < half) {
    shared[self.linear] = self.linear * 3;
    gasan_cpu_barrier_arrive(1, self.nthreads);
  } else {
    gasan_cpu_barrier(1, self.nthreads);
    out[self.linear] = shared[self.linear - half];
  }
  uint32_t count = gasan_cpu_barrier_reduce(own, half, GASAN_BARRIER_POPC, self.linear % 4 == 0);
  count += gasan_cpu_barrier_reduce(own, half, GASAN_BARRIER_POPC, self.linear == half);
  out[self.nthreads + self.linear] = count;
}

static void k_exit_before_barrier(void **arguments) {
  uint32_t *out = ARGUMENT(uint32_t *, 0);
  if (self.linear % 3 == 0)
    gasan_cpu_exit();
  gasan_cpu_barrier(0, 0);
  uint32_t ballot = gasan_cpu_warp(GASAN_WARP_BALLOT, FULL, 1, 0, 0, NULL);
  gasan_cpu_barrier(5, self.nthreads); /* with a count: threads that have ended count as arrived */
  out[thread_of_grid()] = ballot;
}

static void k_exit_while_others_wait(void **arguments) {
  uint32_t *out = ARGUMENT(uint32_t *, 0);
  if (self.linear == self.nthreads - 1)
    gasan_cpu_exit(); /* last: everyone waits already */
  out[self.linear] = gasan_cpu_barrier_reduce(0, 0, GASAN_BARRIER_POPC, 1);
}

static void k_exit_in_loop(void **arguments) {
  uint32_t *out = ARGUMENT(uint32_t *, 0);
  if (self.linear % 5 == 2)
    gasan_cpu_exit();
  out[thread_of_grid()] = 1;
}
static void k_exit_in_loop_block(void **arguments) {
  loop(k_exit_in_loop, arguments);
}

static void k_deadlock(void **arguments) {
  if (self.linear < 10)
    gasan_cpu_barrier(1, 64);
  else
    gasan_cpu_barrier(2, 64);
}

static void k_divergent_barrier(void **arguments) {
  if (self.linear % 32 < 16)
    gasan_cpu_barrier(0, 0);
  else
    gasan_cpu_warp(GASAN_WARP_SYNC, FULL, 0, 0, 0, NULL);
  __asm__ volatile("" ::: "memory"); /* keeps this frame, as the pass's code does */
}

static void k_fault(void **arguments) {
  uint64_t address = ARGUMENT(uint64_t, 0);
  gasan_cpu_barrier(0, 0);
  if (block_of() == 2 && self.linear == 37)
    *(volatile int *)address = 1;
  gasan_cpu_barrier(0, 0);
}

static void k_fault_in_loop(void **arguments) {
  uint64_t address = ARGUMENT(uint64_t, 0);
  if (block_of() == 1 && self.linear == 3)
    *(volatile int *)address = 1;
}
static void k_fault_in_loop_block(void **arguments) {
  loop(k_fault_in_loop, arguments);
}

static void k_divide(void **arguments) {
  volatile int zero = 0, seven = 7;
  ARGUMENT(int *, 0)[0] = seven / zero;
}

__attribute__((noinline)) static int recurse(volatile char *caller) {
  volatile char frame[1000];
  frame[0] = caller ? caller[0] : 1;
  return frame[0] ? recurse(frame) + frame[0] : 0;
}
static void k_stack_overflow(void **arguments) {
  ARGUMENT(int *, 0)[0] = recurse(NULL);
}

static void k_trap(void **arguments) {
  gasan_cpu_trap(0);
}
static void k_assert(void **arguments) {
  if (self.linear == 5)
    gasan_cpu_assert_fail("x > 0", "file.cu", 12, "f(int)", 1);
}
static void k_unsupported(void **arguments) {
  gasan_cpu_unsupported("wgmma");
}

/* Each block adds to the next block's cell, ten times, in step. */
static void k_grid_sync(void **arguments) {
  uint32_t *cells = ARGUMENT(uint32_t *, 0), blocks = self.nctaid[0];
  uint32_t here = block_of(), next = (here + 1) % blocks;
  if (here == 1 && self.linear == 7)
    gasan_cpu_exit();
  if (here == 3)
    return; /* nothing waits for a block that has ended */
  for (uint32_t round = 0; round < 10; round++) {
    uint32_t value = cells[here * 2 + round % 2];
    gasan_cpu_grid_sync();
    if (self.linear == 0)
      cells[next * 2 + (round + 1) % 2] = value + 1;
    gasan_cpu_grid_sync();
  }
}

static void k_shared_limits(void **arguments) {
  uint64_t *out = ARGUMENT(uint64_t *, 0);
  out[0] = (uint64_t)(uintptr_t)self.shared;
  out[1] = self.shared_size;
  out[2] = self.dynamic_shared;
  out[3] = self.dynamic_offset;
  out[4] = self.grid_id;
  out[5] = (uintptr_t)__builtin_frame_address(0) > (uintptr_t)self.stack_low &&
           (uintptr_t)__builtin_frame_address(0) < (uintptr_t)self.stack_high;
  for (uint32_t i = 0; i < self.shared_size; i++)
    if (self.shared[i] != self.shared[0])
      out[6] = 1; /* not the same everywhere at first */
  memset(self.shared, 1, self.shared_size);
}

static void k_print(void **arguments) {
  struct __attribute__((packed)) {
    int width, number;
    double real;
    const char *text;
    long wide;
    int character, pad;
    void *pointer;
  } values = {5, -42, 1.5, "abc", 1ll << 40, 'x', 0, (void *)0x10};
  int count = gasan_cpu_vprintf("[%*d] %.2f %s %ld %c %p 100%%\n", &values);
  ARGUMENT(int *, 0)[0] = count;
}

/* Allocates chunks of 1 MiB until malloc fails, keeps the first four, and stores how many there were. */
static void k_heap(void **arguments) {
  uint32_t *counts = ARGUMENT(uint32_t *, 0), count = 0;
  char *pieces[64];
  while (count < 64 && (pieces[count] = gasan_cpu_malloc(1 << 20)))
    memset(pieces[count++], 1, 1 << 20);
  for (uint32_t i = 4; i < count; i++)
    gasan_cpu_free(pieces[i]);
  if (counts[1])
    gasan_cpu_free(pieces[1] + 16);
  counts[0] = count;
}

enum {
  INDICES,
  TREE_SUM,
  BARRIER_REDUCE,
  NAMED_BARRIERS,
  EXIT_BEFORE_BARRIER,
  EXIT_WHILE_OTHERS_WAIT,
  EXIT_IN_LOOP,
  DEADLOCK,
  DIVERGENT_BARRIER,
  FAULT,
  FAULT_IN_LOOP,
  DIVIDE,
  STACK_OVERFLOW,
  TRAP,
  ASSERT,
  UNSUPPORTED,
  GRID_SYNC,
  SHARED_LIMITS,
  PRINT,
  HEAP,
  KERNELS
};

static const struct gasan_cpu_kernel kernels[KERNELS] = {
    [INDICES] = {.name = "indices", .thread = k_indices, .block = k_indices_block},
    [TREE_SUM] = {.name = "tree_sum", .thread = k_tree_sum, .static_shared = 4096},
    [BARRIER_REDUCE] = {.name = "barrier_reduce", .thread = k_barrier_reduce},
    [NAMED_BARRIERS] = {.name = "named_barriers", .thread = k_named_barriers, .static_shared = 4096},
    [EXIT_BEFORE_BARRIER] = {.name = "exit_before_barrier", .thread = k_exit_before_barrier},
    [EXIT_WHILE_OTHERS_WAIT] = {.name = "exit_while_others_wait", .thread = k_exit_while_others_wait},
    [EXIT_IN_LOOP] = {.name = "exit_in_loop", .thread = k_exit_in_loop, .block = k_exit_in_loop_block},
    [DEADLOCK] = {.name = "deadlock", .thread = k_deadlock},
    [DIVERGENT_BARRIER] = {.name = "divergent_barrier", .thread = k_divergent_barrier},
    [FAULT] = {.name = "fault", .thread = k_fault},
    [FAULT_IN_LOOP] = {.name = "fault_in_loop", .thread = k_fault_in_loop, .block = k_fault_in_loop_block},
    [DIVIDE] = {.name = "divide", .thread = k_divide},
    [STACK_OVERFLOW] = {.name = "stack_overflow", .thread = k_stack_overflow},
    [TRAP] = {.name = "trap", .thread = k_trap},
    [ASSERT] = {.name = "assert", .thread = k_assert},
    [UNSUPPORTED] = {.name = "unsupported", .thread = k_unsupported},
    [GRID_SYNC] = {.name = "grid_sync", .thread = k_grid_sync},
    [SHARED_LIMITS] = {.name = "shared_limits",
                       .thread = k_shared_limits,
                       .static_shared = 1000,
                       .dynamic_shared_offset = 1024},
    [HEAP] = {.name = "heap", .thread = k_heap},
    [PRINT] = {.name = "print", .thread = k_print},
};
static const struct gasan_cpu_image image = {.magic = GASAN_CPU_IMAGE_MAGIC,
                                             .abi_version = GASAN_ABI_VERSION,
                                             .arch = 80,
                                             .id = "engine-test",
                                             .kernel_count = KERNELS,
                                             .kernels = kernels};

TEST indices(void) {
  dim3 grid = {3, 2, 2}, block = {7, 5, 3};
  ASSERT_EQ(cudaSuccess, launch3(INDICES, grid, block, 0, &out, NULL));
  for (uint32_t b = 0; b < 12; b++)
    for (uint32_t t = 0; t < 105; t++)
      ASSERT_EQ((t % 7) | (t / 7 % 5) << 10 | (t / 35) << 20 | (b % 3) << 26, out[b * 105 + t]);
  PASS();
}

TEST tree_sum(void) {
  enum { BLOCKS = 500, THREADS = 256 };
  for (int threads = 1; threads <= 5; threads += 2) {
    gasan_cpu_set_threads(threads);
    memset(out, 0, BLOCKS * sizeof *out);
    ASSERT_EQ(cudaSuccess, launch(TREE_SUM, BLOCKS, THREADS, &out, NULL));
    for (uint32_t b = 0; b < BLOCKS; b++)
      ASSERT_EQ(THREADS * (THREADS - 1) / 2 + THREADS * b, out[b]);
  }
  gasan_cpu_set_threads(0);
  PASS();
}

TEST sizes_in_turn(void) {
  static const unsigned sizes[] = {1, 1024, 2, 64, 512, 32, 1024, 8};
  for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    ASSERT_EQ(cudaSuccess, launch(TREE_SUM, 3, sizes[i], &out, NULL));
    for (uint32_t b = 0; b < 3; b++)
      ASSERT_EQ(sizes[i] * (sizes[i] - 1) / 2 + sizes[i] * b, out[b]);
  }
  PASS();
}

TEST barrier_reduce(void) {
  enum { THREADS = 77 };
  ASSERT_EQ(cudaSuccess, launch(BARRIER_REDUCE, 1, THREADS, &out, NULL));
  for (uint32_t i = 0; i < 3 * THREADS; i++) {
    ASSERT_EQ(38, out[i * 5]);
    ASSERT_EQ(0, out[i * 5 + 1]);
    ASSERT_EQ(1, out[i * 5 + 2]);
    ASSERT_EQ(1, out[i * 5 + 3]);
    ASSERT_EQ(0, out[i * 5 + 4]);
  }
  PASS();
}

TEST named_barriers(void) {
  enum { THREADS = 128 };
  ASSERT_EQ(cudaSuccess, launch(NAMED_BARRIERS, 1, THREADS, &out, NULL));
  for (uint32_t t = 0; t < THREADS; t++) {
    if (t >= THREADS / 2)
      ASSERT_EQ((t - THREADS / 2) * 3, out[t]);
    ASSERT_EQ(t < THREADS / 2 ? 16 : 17, out[THREADS + t]);
  }
  PASS();
}

TEST exit_before_barrier(void) {
  enum { THREADS = 100, BLOCKS = 20 };
  ASSERT_EQ(cudaSuccess, launch(EXIT_BEFORE_BARRIER, BLOCKS, THREADS, &out, NULL));
  for (uint32_t i = 0; i < THREADS * BLOCKS; i++) {
    uint32_t t = i % THREADS, expected = 0;
    for (uint32_t lane = 0; lane < 32 && t / 32 * 32 + lane < THREADS; lane++)
      if ((t / 32 * 32 + lane) % 3)
        expected |= 1u << lane;
    ASSERT_EQ(t % 3 ? expected : 0, out[i]);
  }
  PASS();
}

TEST exit_while_others_wait(void) {
  ASSERT_EQ(cudaSuccess, launch(EXIT_WHILE_OTHERS_WAIT, 1, 50, &out, NULL));
  for (uint32_t t = 0; t < 49; t++)
    ASSERT_EQ(49, out[t]);
  ASSERT_EQ(0, out[49]);
  PASS();
}

TEST exit_in_loop(void) {
  enum { THREADS = 33, BLOCKS = 40 };
  ASSERT_EQ(cudaSuccess, launch(EXIT_IN_LOOP, BLOCKS, THREADS, &out, NULL));
  for (uint32_t i = 0; i < THREADS * BLOCKS; i++)
    ASSERT_EQ(i % THREADS % 5 != 2, out[i]);
  PASS();
}

TEST deadlock(void) {
  cudaError_t error = cudaSuccess;
  const char *text = CAPTURE(stderr, error = launch_and_reset(DEADLOCK, 1, 40, NULL));
  ASSERT_EQ(cudaErrorLaunchFailure, error);
  ASSERT(strstr(text, "deadlock in kernel deadlock, block (0,0,0): 40 of 40 threads"));
  text = CAPTURE(stderr, error = launch_and_reset(DIVERGENT_BARRIER, 1, 64, NULL));
  ASSERT_EQ(cudaErrorLaunchFailure, error);
  ASSERT(strstr(text, "64 of 64 threads"));
  ASSERT_EQ(cudaSuccess, launch(TREE_SUM, 4, 64, &out, NULL)); /* usable again */
  PASS();
}

TEST fault(void) {
  cudaError_t error = cudaSuccess;
  void *nowhere = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  uint64_t address = (uintptr_t)nowhere + 16;
  char expected[64];
  snprintf(expected, sizeof expected, "at address 0x%lx", (unsigned long)address);
  const char *text = CAPTURE(stderr, error = launch_and_reset(FAULT, 5, 64, &address));
  ASSERT_EQ(cudaErrorIllegalAddress, error);
  ASSERT(strstr(text, "illegal memory access in kernel fault, block (2,0,0): thread (37,0,0)"));
  ASSERT(strstr(text, expected));
  text = CAPTURE(stderr, error = launch_and_reset(FAULT_IN_LOOP, 2, 8, &address));
  ASSERT_EQ(cudaErrorIllegalAddress, error);
  ASSERT(strstr(text, "in kernel fault_in_loop, block (1,0,0): thread (3,0,0)"));
  munmap(nowhere, 4096);
  PASS();
}

TEST other_failures(void) {
  cudaError_t error = cudaSuccess;
  const char *text = CAPTURE(stderr, error = launch_and_reset(DIVIDE, 1, 1, &out));
  ASSERT_EQ(cudaErrorLaunchFailure, error);
  ASSERT(strstr(text, "arithmetic fault in kernel divide"));
  text = CAPTURE(stderr, error = launch_and_reset(STACK_OVERFLOW, 1, 40, &out));
  ASSERT_EQ(cudaErrorHardwareStackError, error);
  ASSERT(strstr(text, "stack overflow in kernel stack_overflow"));
  ASSERT_EQ(cudaErrorLaunchFailure, launch_and_reset(TRAP, 9, 33, NULL));
  text = CAPTURE(stderr, error = launch_and_reset(ASSERT, 1, 8, NULL));
  ASSERT_EQ(cudaErrorAssert, error);
  ASSERT_STR_EQ("file.cu:12: f(int): block: [0,0,0], thread: [5,0,0] Assertion `x > 0` failed.\n", text);
  text = CAPTURE(stderr, error = launch_and_reset(UNSUPPORTED, 1, 1, NULL));
  ASSERT_EQ(cudaErrorNotSupported, error);
  ASSERT(strstr(text, "kernel unsupported") && strstr(text, "wgmma"));
  PASS();
}

static sigjmp_buf after_host_fault;
static void *host_fault_address;

static void on_host_fault(int number, siginfo_t *info, void *context) {
  host_fault_address = info->si_addr;
  siglongjmp(after_host_fault, number);
}

/* main set the handler before the device was started. */
TEST host_fault_is_passed_on(void) {
  volatile int *null = (volatile int *)(uintptr_t)0x40;
  ASSERT_EQ(cudaSuccess, launch(TREE_SUM, 4, 64, &out, NULL));
  int number = sigsetjmp(after_host_fault, 1);
  if (number == 0)
    *null = 1;
  ASSERT_EQ(SIGSEGV, number);
  ASSERT_EQ((void *)0x40, host_fault_address);
  ASSERT_EQ(cudaSuccess, API(cudaDeviceSynchronize)());
  PASS();
}

TEST grid_sync(void) {
  enum { BLOCKS = 6 };
  void *arguments[] = {&out};
  dim3 grid = {BLOCKS, 1, 1}, block = {64, 1, 1};
  ASSERT_EQ(cudaSuccess, API(cudaLaunchCooperativeKernel)(hosts + GRID_SYNC, grid, block, arguments, 0, NULL));
  ASSERT_EQ(cudaSuccess, API(cudaDeviceSynchronize)());
  /* Block 3 passes nothing on: block 4 always sees 0, so a cell holds its distance from there, but no more than ten. */
  ASSERT_EQ(0, out[4 * 2]);
  ASSERT_EQ(1, out[5 * 2]);
  ASSERT_EQ(2, out[0 * 2]);
  ASSERT_EQ(3, out[1 * 2]);
  ASSERT_EQ(4, out[2 * 2]);
  const char *text = CAPTURE(stderr, ASSERT_EQ(cudaErrorNotSupported, launch_and_reset(GRID_SYNC, 2, 32, &out)));
  ASSERT(strstr(text, "not cooperative"));
  grid.x = 1 << 20;
  ASSERT_EQ(cudaErrorCooperativeLaunchTooLarge,
            API(cudaLaunchCooperativeKernel)(hosts + GRID_SYNC, grid, block, arguments, 0, NULL));
  PASS();
}

TEST context(void) {
  uint64_t *values = (uint64_t *)out;
  dim3 one = {1, 1, 1};
  for (size_t dynamic = 0; dynamic <= 40000; dynamic += 20000) {
    gasan_device_cpu.set_launch_id(77 + dynamic);
    memset(values, 0, 64);
    ASSERT_EQ(cudaSuccess, launch3(SHARED_LIMITS, one, one, dynamic, &out, NULL));
    ASSERT(values[0] > 1024 && values[0] < 1ull << 32);
    ASSERT_EQ(dynamic ? 1024 + dynamic : 1000, values[1]);
    ASSERT_EQ(dynamic, values[2]);
    ASSERT_EQ(1024, values[3]);
    ASSERT_EQ(77 + dynamic, values[4]);
    ASSERT_EQ(1, values[5]);
    ASSERT_EQ(0, values[6]);
  }
  PASS();
}

TEST print(void) {
  const char *text = CAPTURE(stdout, launch(PRINT, 1, 1, &out, NULL));
  ASSERT_STR_EQ("[  -42] 1.50 abc 1099511627776 x 0x10 100%\n", text);
  ASSERT_EQ(6, out[0]);
  PASS();
}

TEST heap(void) {
  size_t limit = 0;
  ASSERT_EQ(cudaSuccess, API(cudaDeviceSetLimit)(cudaLimitMallocHeapSize, 10 << 20));
  ASSERT_EQ(cudaSuccess, API(cudaDeviceGetLimit)(&limit, cudaLimitMallocHeapSize));
  ASSERT_EQ(10 << 20, limit);
  ASSERT_EQ(cudaSuccess, launch(HEAP, 1, 1, &out, NULL));
  ASSERT_EQ(10, out[0]);
  ASSERT_EQ(cudaSuccess, launch(HEAP, 1, 1, &out, NULL));
  ASSERT_EQ(6, out[0]); /* four are still allocated */
  out[1] = 1;
  cudaError_t error = cudaSuccess;
  const char *text = CAPTURE(stderr, error = launch_and_reset(HEAP, 1, 1, &out));
  ASSERT_EQ(cudaErrorLaunchFailure, error);
  ASSERT(strstr(text, "kernel heap frees 0x"));
  out[1] = 0; /* the reset freed all chunks and restored the default limit */
  ASSERT_EQ(cudaSuccess, launch(HEAP, 1, 1, &out, NULL));
  ASSERT_EQ(8, out[0]);
  API(cudaDeviceReset)();
  PASS();
}

static struct gasan_cpu_finding found;
static int findings;

static void keep(const struct gasan_cpu_finding *finding) {
  found = *finding;
  findings++;
}

TEST findings_have_places(void) {
  gasan_cpu_set_reporter(keep);
  ASSERT_EQ(cudaErrorLaunchFailure, launch_and_reset(DIVERGENT_BARRIER, 1, 64, NULL));
  ASSERT_EQ(1, findings);
  ASSERT_EQ(GASAN_CPU_DEADLOCK, found.kind);
  ASSERT_STR_EQ("divergent_barrier", found.kernel);
  ASSERT_EQ(64, found.live);
  ASSERT_EQ(0, found.ended);
  ASSERT_EQ(2, found.place_count);
  ASSERT_STR_EQ("at barrier 0 for all threads of the block", found.places[0].waits_for);
  ASSERT_STR_EQ("in a warp operation for the lanes 0xffffffff", found.places[1].waits_for);
  ASSERT_EQ(16, found.places[1].first[0]);
  for (int i = 0; i < 2; i++) {
    ASSERT_EQ(32, found.places[i].threads);
    ASSERT(found.places[i].depth >= 1);
    uintptr_t pc = found.places[i].pcs[0], start = (uintptr_t)k_divergent_barrier;
    ASSERT(pc > start && pc < start + 200);
  }
  ASSERT_EQ(cudaSuccess, API(cudaDeviceSetLimit)(cudaLimitStackSize, 300 << 10));
  ASSERT_EQ(cudaErrorHardwareStackError, launch_and_reset(STACK_OVERFLOW, 2, 3, &out));
  ASSERT_EQ(2, findings);
  ASSERT_EQ(GASAN_CPU_STACK_OVERFLOW, found.kind);
  ASSERT(found.stack_size >= 600 << 10);
  ASSERT(found.places[0].depth > (600 << 10) / 1200);
  ASSERT_EQ(cudaErrorInvalidValue, API(cudaDeviceSetLimit)(cudaLimitStackSize, 1 << 30));
  gasan_cpu_set_reporter(NULL);
  PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
  struct sigaction action = {.sa_sigaction = on_host_fault, .sa_flags = SA_SIGINFO};
  sigaction(SIGSEGV, &action, NULL);
  if (!start_with_kernels(&image))
    return 1;
  GREATEST_MAIN_BEGIN();
  GREATEST_SET_SETUP_CB(clear, NULL);
  RUN_TEST(indices);
  RUN_TEST(tree_sum);
  RUN_TEST(sizes_in_turn);
  RUN_TEST(barrier_reduce);
  RUN_TEST(named_barriers);
  RUN_TEST(exit_before_barrier);
  RUN_TEST(exit_while_others_wait);
  RUN_TEST(exit_in_loop);
  RUN_TEST(deadlock);
  RUN_TEST(fault);
  RUN_TEST(other_failures);
  RUN_TEST(host_fault_is_passed_on);
  RUN_TEST(grid_sync);
  RUN_TEST(context);
  RUN_TEST(print);
  RUN_TEST(heap);
  RUN_TEST(findings_have_places);
  GREATEST_MAIN_END();
}
