// Prints the last of 100 scaled values, and the LD_PRELOAD of the processes that it starts.
#include <cstdio>
#include <cstdlib>

float scaled(int count, int accessed);

int main(int argc, char **argv) {
  printf("last %g, %d arguments\n", scaled(100, argc > 1 ? atoi(argv[1]) : 100), argc - 1);
  fflush(stdout);
  return system("echo preload: $LD_PRELOAD");
}
