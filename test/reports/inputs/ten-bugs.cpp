// The bugs of ten-bugs.cu in code of the host, for AddressSanitizer.
#include <cstdint>
#include <cstdlib>
#include <cstring>

int table[10];

__attribute__((noinline)) void fill(int *values, int n) {
  for (int i = 0; i <= n; i++)
    values[i] = i; // bug 1
}

int main(int, char **arguments) {
  int *values = (int *)malloc(100 * sizeof(int)), host[101] = {};
  volatile int n = 8, three = 3, columns = 2147483647;
  switch (atoi(arguments[1])) {
  case 1:
    fill(values, 100);
    break;
  case 2:
    for (int i = 0; i < 32; i++)
      host[i] = values[i] - values[i - 1]; // bug 2
    break;
  case 3:
    free(values);
    values[0] += 1; // bug 3
    break;
  case 4:
    free(values);
    free(values); // bug 4
    break;
  case 5: {
    volatile int own[8];
    for (int i = 0; i <= n; i++)
      own[i] = i; // bug 5
    break;
  }
  case 6:
    for (int i = 0; i < 8; i++)
      host[i] = table[i + three]; // bug 6
    break;
  case 7:
    *(volatile int *)nullptr += 1; // bug 7
    break;
  case 8:
    memcpy(values, host, (93 + n) * sizeof(int)); // bug 8
    break;
  case 9:
    *(volatile int *)((char *)values + 1) = 0; // bug 9
    break;
  case 10:
    values[(int)((unsigned)columns + (unsigned)three)] = 1; // bug 10
    break;
  }
  return host[1] + values[1];
}
