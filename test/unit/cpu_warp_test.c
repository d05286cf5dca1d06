/* Warp operations of the SIMT engine, activemask, and threads that poll. Kernels in C call the functions that
 * retargeted code calls.
 */
#include "base/abi.h"
#include "test/unit/cpu_kernels.h"

struct shuffle_case {
  uint32_t operation, b, width, mask;
};

static void k_shuffle(void **arguments) {
  struct shuffle_case test = ARGUMENT(struct shuffle_case, 0);
  uint32_t *out = ARGUMENT(uint32_t *, 1), predicate = 9;
  uint32_t clamp = test.operation == GASAN_WARP_SHFL_UP ? 0 : 31;
  if (!(test.mask >> self.linear % 32 & 1))
    return;
  out[self.linear] =
      gasan_cpu_warp(test.operation, test.mask, 1000 + self.linear, test.b, (32 - test.width) << 8 | clamp, &predicate);
  out[64 + self.linear] = predicate;
}

/* Odd and even lanes take different branches, each with its own operations, and meet again. */
static void k_divergent_warp(void **arguments) {
  uint32_t *out = ARGUMENT(uint32_t *, 0), lane = self.linear % 32, *row = out + self.linear * 4;
  if (lane & 1) {
    row[0] = gasan_cpu_warp(GASAN_WARP_ADD, 0xaaaaaaaa, lane, 0, 0, NULL);
    row[1] = gasan_cpu_warp(GASAN_WARP_BALLOT, 0xaaaaaaaa, lane < 16, 0, 0, NULL);
  } else {
    row[0] = gasan_cpu_warp(GASAN_WARP_UMAX, 0x55555555, lane, 0, 0, NULL);
    row[1] = gasan_cpu_warp(GASAN_WARP_ANY, 0x55555555, lane == 8, 0, 0, NULL);
  }
  row[2] = gasan_cpu_warp(GASAN_WARP_ALL, FULL, lane < 32, 0, 0, NULL);
  row[3] = gasan_cpu_warp(GASAN_WARP_UNI, FULL, lane < 31, 0, 0, NULL);
}

static const struct {
  uint32_t operation, expected; /* over lane * 7 - 50 of all lanes */
} reductions[] = {
    {GASAN_WARP_ADD, (uint32_t)(7 * 496 - 50 * 32)},
    {GASAN_WARP_MIN, (uint32_t)-50},
    {GASAN_WARP_MAX, 167},
    {GASAN_WARP_UMIN, 6},
    {GASAN_WARP_UMAX, (uint32_t)-1},
    {GASAN_WARP_AND, 0},
    {GASAN_WARP_OR, FULL},
};
enum { REDUCTIONS = sizeof reductions / sizeof reductions[0] };

static void k_reduce(void **arguments) {
  uint32_t *out = ARGUMENT(uint32_t *, 0), lane = self.linear % 32;
  for (uint32_t i = 0; i < REDUCTIONS; i++)
    out[self.linear * (REDUCTIONS + 1) + i] = gasan_cpu_warp(reductions[i].operation, FULL, lane * 7 - 50, 0, 0, NULL);
  out[self.linear * (REDUCTIONS + 1) + REDUCTIONS] = gasan_cpu_warp(GASAN_WARP_XOR, FULL, 1u << lane, 0, 0, NULL);
}

static void k_match(void **arguments) {
  uint32_t *out = ARGUMENT(uint32_t *, 0), lane = self.linear % 32, predicate;
  uint32_t *row = out + self.linear * 5;
  row[0] = gasan_cpu_warp(GASAN_WARP_MATCH_ANY, FULL, (uint64_t)(lane % 3) << 40, 0, 0, NULL);
  row[1] = gasan_cpu_warp(GASAN_WARP_MATCH_ALL, FULL, 1ull << 35, 0, 0, &predicate);
  row[2] = predicate;
  row[3] = gasan_cpu_warp(GASAN_WARP_MATCH_ALL, FULL, lane == 31, 0, 0, &predicate);
  row[4] = predicate;
}

static void k_activemask(void **arguments) {
  uint32_t *out = ARGUMENT(uint32_t *, 0), lane = self.linear % 32;
  out[self.linear * 2] = gasan_cpu_activemask();
  uint32_t mask;
  if (lane < 5) {
    mask = gasan_cpu_activemask();
    __asm__ volatile("# the two calls must not become one");
  } else if (lane < 8) {
    gasan_cpu_exit();
  } else {
    mask = gasan_cpu_activemask();
  }
  out[self.linear * 2 + 1] = mask;
  gasan_cpu_barrier(0, 0);
}

/* Lane 0 waits in activemask for the others, which poll for lane 0's next store. */
static void k_poll_activemask(void **arguments) {
  volatile uint32_t *flag = ARGUMENT(uint32_t *, 0);
  if (self.linear == 0)
    *flag = gasan_cpu_activemask();
  else
    while (!*flag)
      gasan_cpu_yield();
}

static void k_spin_lock(void **arguments) {
  uint32_t *memory = ARGUMENT(uint32_t *, 0); /* lock, counter */
  while (__atomic_exchange_n(&memory[0], 1, __ATOMIC_ACQUIRE))
    gasan_cpu_yield();
  uint32_t count = memory[1];
  gasan_cpu_yield();
  memory[1] = count + 1;
  __atomic_store_n(&memory[0], 0, __ATOMIC_RELEASE);
}

enum { SHUFFLE, DIVERGENT_WARP, REDUCE, MATCH, ACTIVEMASK, POLL_ACTIVEMASK, SPIN_LOCK, KERNELS };

static const struct gasan_cpu_kernel kernels[KERNELS] = {
    [SHUFFLE] = {.name = "shuffle", .thread = k_shuffle},
    [DIVERGENT_WARP] = {.name = "divergent_warp", .thread = k_divergent_warp},
    [REDUCE] = {.name = "reduce", .thread = k_reduce},
    [MATCH] = {.name = "match", .thread = k_match},
    [ACTIVEMASK] = {.name = "activemask", .thread = k_activemask, .flags = GASAN_CPU_KERNEL_ACTIVEMASK},
    [POLL_ACTIVEMASK] = {.name = "poll_activemask", .thread = k_poll_activemask, .flags = GASAN_CPU_KERNEL_ACTIVEMASK},
    [SPIN_LOCK] = {.name = "spin_lock", .thread = k_spin_lock},
};
static const struct gasan_cpu_image image = {.magic = GASAN_CPU_IMAGE_MAGIC,
                                             .abi_version = GASAN_ABI_VERSION,
                                             .arch = 80,
                                             .id = "warp-test",
                                             .kernel_count = KERNELS,
                                             .kernels = kernels};

/* CUDA C++ Programming Guide: lanes are in groups of `width`; the source is the lane itself when it leaves the group.
 */
static uint32_t shuffle_source(const struct shuffle_case *test, uint32_t lane, uint32_t *inside) {
  uint32_t base = lane / test->width * test->width, index = lane - base, b = test->b & 31;
  int source = 0;
  *inside = 1;
  switch (test->operation) {
  case GASAN_WARP_SHFL_IDX:
    return base + b % test->width;
  case GASAN_WARP_SHFL_UP:
    source = (int)index - (int)b;
    *inside = source >= 0;
    break;
  case GASAN_WARP_SHFL_DOWN:
    source = (int)(index + b);
    *inside = source < (int)test->width;
    break;
  default:
    source = (int)(lane ^ b) - (int)base;
    *inside = source < (int)test->width; /* an earlier group may be read, a later one not */
    break;
  }
  return *inside ? (uint32_t)((int)base + source) : lane;
}

TEST shuffles(void) {
  static const uint32_t masks[] = {FULL, 0xffff, 0x0ff00ff0};
  for (uint32_t operation = GASAN_WARP_SHFL_IDX; operation <= GASAN_WARP_SHFL_BFLY; operation++)
    for (uint32_t width = 1; width <= 32; width *= 2)
      for (uint32_t b = 0; b < 33; b += 3)
        for (int m = 0; m < 3; m++) {
          struct shuffle_case test = {operation, b, width, masks[m]};
          ASSERT_EQ(cudaSuccess, launch(SHUFFLE, 1, 64, &test, &out));
          for (uint32_t t = 0; t < 64; t++) {
            uint32_t inside, source = shuffle_source(&test, t % 32, &inside);
            if (!(test.mask >> t % 32 & 1) || !(test.mask >> source & 1))
              continue;
            ASSERT_EQ(1000 + t / 32 * 32 + source, out[t]);
            ASSERT_EQ(inside, out[64 + t]);
          }
        }
  PASS();
}

TEST divergent_warp(void) {
  ASSERT_EQ(cudaSuccess, launch(DIVERGENT_WARP, 1, 96, &out, NULL));
  for (uint32_t t = 0; t < 96; t++) {
    ASSERT_EQ(t & 1 ? 256 : 30, out[t * 4]);
    ASSERT_EQ(t & 1 ? 0xaaaa : 1, out[t * 4 + 1]);
    ASSERT_EQ(1, out[t * 4 + 2]);
    ASSERT_EQ(0, out[t * 4 + 3]);
  }
  PASS();
}

TEST reduce_and_match(void) {
  ASSERT_EQ(cudaSuccess, launch(REDUCE, 1, 64, &out, NULL));
  for (uint32_t t = 0; t < 64; t++) {
    for (uint32_t i = 0; i < REDUCTIONS; i++) {
      uint32_t expected = reductions[i].expected, bits = FULL, any = 0;
      for (uint32_t lane = 0; lane < 32; lane++) {
        bits &= lane * 7 - 50;
        any |= lane * 7 - 50;
      }
      if (reductions[i].operation == GASAN_WARP_AND)
        expected = bits;
      if (reductions[i].operation == GASAN_WARP_OR)
        expected = any;
      ASSERT_EQ(expected, out[t * (REDUCTIONS + 1) + i]);
    }
    ASSERT_EQ(FULL, out[t * (REDUCTIONS + 1) + REDUCTIONS]);
  }
  ASSERT_EQ(cudaSuccess, launch(MATCH, 1, 32, &out, NULL));
  static const uint32_t thirds[] = {0x49249249, 0x92492492, 0x24924924};
  for (uint32_t t = 0; t < 32; t++) {
    ASSERT_EQ(thirds[t % 3], out[t * 5]);
    ASSERT_EQ(FULL, out[t * 5 + 1]);
    ASSERT_EQ(1, out[t * 5 + 2]);
    ASSERT_EQ(0, out[t * 5 + 3]);
    ASSERT_EQ(0, out[t * 5 + 4]);
  }
  PASS();
}

TEST activemask(void) {
  ASSERT_EQ(cudaSuccess, launch(ACTIVEMASK, 1, 52, &out, NULL));
  for (uint32_t t = 0; t < 52; t++) {
    uint32_t lane = t % 32, all = t < 32 ? FULL : (1u << 20) - 1;
    ASSERT_EQ(all, out[t * 2]);
    if (lane < 5)
      ASSERT_EQ(0x1f, out[t * 2 + 1]);
    else if (lane >= 8)
      ASSERT_EQ(all & ~0xffu, out[t * 2 + 1]);
  }
  out[0] = 0;
  ASSERT_EQ(cudaSuccess, launch(POLL_ACTIVEMASK, 1, 32, &out, NULL));
  ASSERT_EQ(1, out[0]);
  PASS();
}

TEST spin_lock(void) {
  ASSERT_EQ(cudaSuccess, launch(SPIN_LOCK, 30, 50, &out, NULL));
  ASSERT_EQ(1500, out[1]);
  PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
  if (!start_with_kernels(&image))
    return 1;
  GREATEST_MAIN_BEGIN();
  GREATEST_SET_SETUP_CB(clear, NULL);
  RUN_TEST(shuffles);
  RUN_TEST(divergent_warp);
  RUN_TEST(reduce_and_match);
  RUN_TEST(activemask);
  RUN_TEST(spin_lock);
  GREATEST_MAIN_END();
}
