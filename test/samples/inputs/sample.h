// Shared by the samples: command line, device arrays, stopwatch. With --size and --repeat the samples are benchmarks
// too.
#ifndef GASAN_TEST_SAMPLES_SAMPLE_H
#define GASAN_TEST_SAMPLES_SAMPLE_H

#include "../../cpu/inputs/self_check.h"
#include <algorithm>

struct Arguments {
  int size;       // each sample says what it counts
  int repeat = 1; // how many times the sample does its work
  bool time = false;
};

static inline void usage(const char *program, const Arguments &standard) {
  fprintf(stderr, "usage: %s [--size N (default %d)] [--repeat N] [--time]\n", program, standard.size);
  exit(2);
}

static inline Arguments parse(int count, char **texts, int size, int smallest, int largest) {
  Arguments arguments, standard;
  arguments.size = standard.size = size;
  for (int i = 1; i < count; ++i) {
    if (!strcmp(texts[i], "--time")) {
      arguments.time = true;
      continue;
    }
    int *value = !strcmp(texts[i], "--size")     ? &arguments.size
                 : !strcmp(texts[i], "--repeat") ? &arguments.repeat
                                                 : nullptr;
    char *end = nullptr;
    if (!value || i + 1 == count)
      usage(texts[0], standard);
    *value = int(strtol(texts[++i], &end, 10));
    if (*end || *value < 1)
      usage(texts[0], standard);
  }
  if (arguments.size < smallest || arguments.size > largest) {
    fprintf(stderr, "%s: --size must be from %d to %d\n", texts[0], smallest, largest);
    exit(2);
  }
  return arguments;
}

template <typename T>
void upload(T *device, const std::vector<T> &host) {
  CUDA(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
}

template <typename T>
void download(std::vector<T> &host, const T *device) {
  CUDA(cudaMemcpy(host.data(), device, host.size() * sizeof(T), cudaMemcpyDeviceToHost));
}

// Measures a stream's work by events. Prints only with --time, because times differ from run to run.
class Stopwatch {
public:
  explicit Stopwatch(cudaStream_t stream = nullptr) : stream(stream) {
    CUDA(cudaEventCreate(&begin));
    CUDA(cudaEventCreate(&end));
    CUDA(cudaEventRecord(begin, stream));
  }
  void stop(const Arguments &arguments, const char *what) {
    float milliseconds = -1;
    CUDA(cudaEventRecord(end, stream));
    CUDA(cudaEventSynchronize(end));
    CUDA(cudaEventElapsedTime(&milliseconds, begin, end));
    EXPECT(milliseconds >= 0, "%s took %f ms", what, milliseconds);
    if (arguments.time)
      printf("%s: %.3f ms, %d times\n", what, milliseconds, arguments.repeat);
    CUDA(cudaEventDestroy(begin));
    CUDA(cudaEventDestroy(end));
  }

private:
  cudaStream_t stream;
  cudaEvent_t begin, end;
};

static inline int divide_up(int value, int by) {
  return (value + by - 1) / by;
}

#endif
