// atomicInc and atomicDec wrap: inc gives 0 behind the limit, dec gives the limit behind 0 and for what lies above it.
// atomicSub, and 64-bit signed minimum and maximum. All over shared memory, with every thread of a block on one word.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/ulp.h"

const int blocks = 16, threads = 256;
struct Row {
  unsigned inc, dec, above, sub;
  int signedSub;
  long long low, high;
  unsigned incSeen[8], decSeen[8], steps[6];
};

__global__ void update(const long long *in, Row *out) {
  __shared__ Row row;
  int t = threadIdx.x;
  if (t == 0) {
    row = Row();
    row.dec = 3, row.above = 1000, row.sub = 7, row.low = 1ll << 62, row.high = -(1ll << 62);
  }
  __syncthreads();
  atomicAdd(&row.incSeen[atomicInc(&row.inc, 6u)], 1u); // 0 to 6
  atomicAdd(&row.decSeen[atomicDec(&row.dec, 4u)], 1u); // 4 to 0
  atomicSub(&row.sub, 3u);
  atomicSub(&row.signedSub, t - 100);
  atomicMin(&row.low, in[blockIdx.x * threads + t]);
  atomicMax(&row.high, in[blockIdx.x * threads + t]);
  if (t == 0) { // alone: each rule by itself
    unsigned x = 5;
    __shared__ unsigned word;
    word = x;
    row.steps[0] = (atomicInc(&word, 5u), word); // at the limit: 0
    row.steps[1] = (atomicInc(&word, 0u), word); // limit 0: always 0
    row.steps[2] = (atomicDec(&word, 9u), word); // 0: the limit
    word = 20;
    row.steps[3] = (atomicDec(&word, 9u), word); // above the limit: the limit
    row.steps[4] = (atomicInc_block(&word, ~0u), word);
    row.steps[5] = (atomicDec_system(&word, ~0u), word);
  }
  __syncthreads();
  if (t == 0)
    out[blockIdx.x] = row;
}

int main() {
  Random random(8);
  std::vector<long long> in(blocks * threads);
  for (long long &v : in)
    v = (long long)((unsigned long long)random.next() << 32 | random.next());
  Buffer<long long> pin(in);
  Buffer<Row> out(blocks);
  update<<<blocks, threads>>>(pin, out);
  std::vector<Row> have = out.host();
  for (int b = 0; b < blocks; ++b) {
    const Row &r = have[b];
    long long low = in[b * threads], high = low;
    for (int t = 0; t < threads; ++t)
      low = std::min(low, in[b * threads + t]), high = std::max(high, in[b * threads + t]);
    EXPECT(r.inc == threads % 7 && r.dec == (3 + 5 * 100 - threads % 5) % 5, "inc %u dec %u", r.inc, r.dec);
    for (int k = 0; k < 7; ++k)
      EXPECT(r.incSeen[k] == unsigned(threads / 7 + (k < threads % 7)), "atomicInc returned %d %u times", k,
             r.incSeen[k]);
    for (int k = 0; k < 5; ++k)
      EXPECT(r.decSeen[k] == unsigned(threads / 5 + (k == 3)), "atomicDec returned %d %u times", k, r.decSeen[k]);
    EXPECT(r.sub == 7u - 3u * threads && r.signedSub == 100 * threads - threads * (threads - 1) / 2, "sub %u %d", r.sub,
           r.signedSub);
    EXPECT(r.low == low && r.high == high, "extremes %lld %lld", r.low, r.high);
    const unsigned steps[6] = {0, 0, 9, 9, 10, 9};
    for (int k = 0; k < 6; ++k)
      EXPECT(r.steps[k] == steps[k], "step %d: %u", k, r.steps[k]);
  }
  printf("wrapping %016llx\n", (unsigned long long)checksum(have));
  return passed();
}
