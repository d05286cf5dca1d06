#include <cstdio>

int run(int threads);

int main(int argc, char **) {
  printf("%d\n", run(argc > 1 ? 101 : 100));
}
