// If the file cannot be written, one error says so, and the text of all reports is printed.
// RUN: %gasan -O2 %s -o %t
// RUN: touch %t.file
// RUN: %options=report_format=json,sarif:halt_on_error=0:report_path=%t.file/x not %run %t 2>&1 | FileCheck %s
// RUN: %options=report_format=jsn %exit=1 %t 2>&1 | FileCheck %s --check-prefix=FORMAT
// CHECK: ==gasan: ERROR: the report cannot be written to {{.*}}.file/x.json: Not a directory; set
// CHECK-SAME: GASAN_OPTIONS=report_path to a file in a folder that can be written
// CHECK-NOT: cannot be written
// CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
// CHECK: #1 {{.*}} in main {{.*}}unwritable.cu:[[#@LINE+9]]:
// CHECK-NOT: cannot be written
// CHECK: ERROR: AddressSanitizer: attempting double-free
// CHECK-NOT: cannot be written
// FORMAT: GASAN_OPTIONS=report_format=jsn is not a list of text, json or sarif

int main() {
  char *values;
  cudaMalloc(&values, 100);
  cudaMemset(values, 0, 101);
  cudaFree(values);
  cudaFree(values);
}
