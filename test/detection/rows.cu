// Two pointers loaded from memory, whose bounds one check looks up. The chunks have pages of their own (large) or share
// a page (small). The report says which pointer is wrong, and how.
// CATEGORY: rows
// CASE: first end large
// CASE: first end small
// CASE: start large
// CASE: start small
// CASE: partly large
// CASE: partly small
// CASE: misaligned large
// CASE: misaligned small
// CASE: freed large
// CASE: freed small
// CASE: null large
// CASE: null small
// CASE: second end large
// CASE: second end small
#include "case.h"

// END: ERROR: AddressSanitizer: heap-buffer-overflow
// START: ERROR: AddressSanitizer: heap-buffer-overflow
// PARTLY: ERROR: AddressSanitizer: heap-buffer-overflow
// MISALIGNED: ERROR: AddressSanitizer: misaligned-access
// FREED: ERROR: AddressSanitizer: heap-use-after-free
// NULL: ERROR: AddressSanitizer: null-address
// CHECK: READ of size 8 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)

__global__ void sum(const long long **rows, long index, long long *sink) {
  // SECOND: #0 sum(long long const**, long, long long*) {{.*}}rows.cu:[[#@LINE+8]]:
  // START: #0 sum(long long const**, long, long long*) {{.*}}rows.cu:[[#@LINE+6]]:
  // FIRST+END: #0 sum(long long const**, long, long long*) {{.*}}rows.cu:[[#@LINE+5]]:
  // PARTLY: #0 sum(long long const**, long, long long*) {{.*}}rows.cu:[[#@LINE+4]]:
  // MISALIGNED: #0 sum(long long const**, long, long long*) {{.*}}rows.cu:[[#@LINE+3]]:
  // FREED: #0 sum(long long const**, long, long long*) {{.*}}rows.cu:[[#@LINE+2]]:
  // NULL: #0 sum(long long const**, long, long long*) {{.*}}rows.cu:[[#@LINE+1]]:
  *sink = rows[0][index] + // separate lines, which the reports name
          rows[1][index];
}

// START: is located 8 bytes before
// END: is located 0 bytes after
// PARTLY: is located 0 bytes after

int main(int, char **arguments) {
  words = arguments;
  const long count = chosen("large") ? 4 << 20 : 10;
  char *host = static_cast<char *>(calloc(count, sizeof(long long))), *chunks[2];
  for (int i = 0; i < 2; ++i) {
    const bool shorter = BUG_OR_FIXED(chosen("partly") || (chosen("second") && i == 1), false);
    const long bytes = count * sizeof(long long) - (shorter ? chosen("partly") ? 4 : 8 : 0);
    CUDA(cudaMalloc(&chunks[i], bytes));
    CUDA(cudaMemcpy(chunks[i], host, bytes, cudaMemcpyDefault));
  }
  const long long *used[2], **rows;
  long long *sink;
  for (int i = 0; i < 2; ++i)
    used[i] = reinterpret_cast<const long long *>(chunks[i] + (chosen("misaligned") ? BUG_OR_FIXED(4, 0) : 0));
  const long last = count - 1;
  const long index = chosen("start")                        ? BUG_OR_FIXED(-1, 0)
                     : chosen("second") || chosen("partly") ? last
                     : chosen("end")                        ? BUG_OR_FIXED(count, last)
                                                            : 1;
  if (chosen("null"))
    used[0] = BUG_OR_FIXED(nullptr, used[0]);
  CUDA(cudaMalloc(&rows, sizeof used));
  CUDA(cudaMalloc(&sink, sizeof *sink));
  CUDA(cudaMemcpy(rows, used, sizeof used, cudaMemcpyDefault));
  if (chosen("freed") && BUG_OR_FIXED(true, false))
    CUDA(cudaFree(chunks[0]));
  sum<<<1, 1>>>(rows, index, sink);
  synchronise();
  long long result = 1;
  CUDA(cudaMemcpy(&result, sink, sizeof result, cudaMemcpyDefault));
  return finish(int(result), 0);
}
