// `gasan report --format html` writes one page: XML for a strict parser, and drawn by Chromium without a network.
// REQUIRES: chromium
// RUN: %gasan -O2 %s -o %t
// RUN: rm -rf %t.d
// RUN: %options=halt_on_error=0:report_format=json:report_path=%t.d/page not %run %t 2>/dev/null
// RUN: not %gasan_report --format html --output %t.d/page.html %t.d/page.json
// RUN: %report_files %t.d/page.html
// RUN: FileCheck %s --input-file=%t.d/page.html
// RUN: rm -rf %t.e && %options=report_format=json:report_path=%t.e/clean %run %t clean
// RUN: %gasan_report --format html %t.e/clean.json | FileCheck %s --check-prefix=CLEAN
// RUN: %report_files --chromium %t.d/page.html | FileCheck %s --check-prefix=DRAWN
// CHECK: <title>gasan: 2 reports</title>
// CHECK: <a href="#r{{[0-9a-f]+}}-0">heap-buffer-overflow</a></td>
// CHECK-SAME: <td><code>{{.*}}html.cu:[[#@LINE+24]]:{{[0-9]+}} in fill(float*, int)
// The line of the access, its values, and the allocation between its neighbours.
// CHECK: <span class="here"><span class="number"> [[#@LINE+22]] </span>    values[i] = 1; // &lt;here&gt;
// CHECK-NEXT: <span class="caret"> ^</span>
// CHECK: <code>blockIdx.x * 64 + threadIdx.x</code></td><td><code>100</code>
// CHECK: <svg class="memory"
// CHECK-SAME: <rect class="other"{{.*}}>neighbour</text><text {{[^>]*}}>200 bytes</text>
// CHECK-SAME: <rect class="own"{{.*}}>region</text><text {{[^>]*}}>400 bytes</text>
// CHECK-SAME: <rect class="other"{{.*}}>neighbour</text><text {{[^>]*}}>800 bytes</text>
// CHECK-SAME: write of 4 bytes</text>
// Of the second block's 64 threads, 28 write outside.
// CHECK: <svg class="block" width="448" height="28">
// CHECK-SAME: <rect class="good" x="42" {{[^>]*}}><rect class="good" {{[^>]*}}>
// CHECK-SAME: <rect class="first" x="56" y="14" {{[^>]*}}><rect class="bad" x="70" y="14"
// CHECK-SAME: block (1,0,0), 64 x 1 x 1 threads
// CHECK: <summary>Allocated by host thread T0</summary>
// CHECK: <span class="kind">double-free</span>
// CLEAN: There are no reports.
// DRAWN: drawn: 2 articles, nothing beside the page, red under the access
#include <cstring>

__global__ void fill(float *values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    values[i] = 1; // <here>
  }
}

int main(int count, char **) {
  float *before, *values, *after;
  cudaMalloc(&before, 200);
  cudaMalloc(&values, 400);
  cudaMalloc(&after, 800);
  fill<<<2, 64>>>(values, count > 1 ? 100 : 128);
  cudaDeviceSynchronize();
  cudaFree(after);
  if (count == 1)
    cudaFree(after);
  return 0;
}
