// cudaMemcpy2D and cudaMemcpy2DAsync in every direction, and cudaMallocPitch: random rectangles are copied, and the
// bytes beside them do not change.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"

using Bytes = std::vector<unsigned char>;

static void fillRandom(Random &random, Bytes &bytes) {
  for (unsigned char &byte : bytes)
    byte = (unsigned char)random.next();
}

static void reference(Bytes &to, size_t to_at, size_t to_pitch, const Bytes &from, size_t from_at, size_t from_pitch,
                      size_t width, size_t height) {
  for (size_t row = 0; row < height; ++row)
    memcpy(&to[to_at + row * to_pitch], &from[from_at + row * from_pitch], width);
}

int main() {
  Random random(5);
  const size_t rows = 40, columns = 300;
  unsigned char *device[2];
  size_t pitch[2];
  for (int i = 0; i < 2; ++i) {
    CUDA(cudaMallocPitch(&device[i], &pitch[i], columns, rows));
    EXPECT(pitch[i] >= columns && pitch[i] % 32 == 0, "%zu", pitch[i]);
  }
  pitch[1] = pitch[0] = pitch[0] < pitch[1] ? pitch[0] : pitch[1];
  Bytes mirror[2], host(rows * 320), back(rows * pitch[0]), expected;
  uint64_t sum = 0;
  cudaStream_t stream;
  CUDA(cudaStreamCreate(&stream));
  for (int i = 0; i < 2; ++i) {
    mirror[i].resize(rows * pitch[0]);
    fillRandom(random, mirror[i]);
    CUDA(cudaMemcpy(device[i], mirror[i].data(), mirror[i].size(), cudaMemcpyHostToDevice));
  }
  for (int round = 0; round < 120; ++round) {
    int d = int(random.below(2));
    size_t width = random.below(columns + 1), height = random.below(rows + 1);
    size_t x = random.below(unsigned(columns - width) + 1), y = random.below(unsigned(rows - height) + 1);
    size_t host_pitch = 300 + random.below(21), device_at = y * pitch[0] + x;
    bool known = random.below(2); // cudaMemcpyDefault finds the direction itself
    bool async = random.below(2);
    auto copy = [&](void *to, size_t to_pitch, const void *from, size_t from_pitch, cudaMemcpyKind kind) {
      kind = known ? kind : cudaMemcpyDefault;
      if (async) {
        CUDA(cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, stream));
        CUDA(cudaStreamSynchronize(stream));
      } else {
        CUDA(cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind));
      }
    };
    switch (random.below(4)) {
    case 0: // host to device
      fillRandom(random, host);
      copy(device[d] + device_at, pitch[0], host.data(), host_pitch, cudaMemcpyHostToDevice);
      reference(mirror[d], device_at, pitch[0], host, 0, host_pitch, width, height);
      break;
    case 1: // device to host
      fillRandom(random, host);
      expected = host;
      copy(host.data(), host_pitch, device[d] + device_at, pitch[0], cudaMemcpyDeviceToHost);
      reference(expected, 0, host_pitch, mirror[d], device_at, pitch[0], width, height);
      EXPECT(host == expected, "round %d: to the host", round);
      break;
    case 2: // device to device
      copy(device[!d] + device_at, pitch[0], device[d] + device_at, pitch[0], cudaMemcpyDeviceToDevice);
      reference(mirror[!d], device_at, pitch[0], mirror[d], device_at, pitch[0], width, height);
      break;
    case 3: { // host to host
      Bytes other(rows * 320);
      fillRandom(random, host);
      expected = other;
      copy(other.data(), host_pitch, host.data(), 310, cudaMemcpyHostToHost);
      reference(expected, 0, host_pitch, host, 0, 310, width < 310 ? width : 310, height);
      EXPECT(other == expected, "round %d: host to host", round);
      break;
    }
    }
    for (int i = 0; i < 2; ++i) {
      CUDA(cudaMemcpy(back.data(), device[i], back.size(), cudaMemcpyDeviceToHost));
      EXPECT(back == mirror[i], "round %d: device memory %d", round, i);
      if (round == 119)
        for (size_t row = 0; row < rows; ++row)
          sum = checksum(&back[row * pitch[0]], columns, sum);
    }
  }
  EXPECT(cudaMemcpy2D(host.data(), 10, device[0], pitch[0], 11, 2, cudaMemcpyDeviceToHost) ==
             cudaErrorInvalidPitchValue,
         "a row longer than its pitch");
  EXPECT(cudaMemcpy2D(device[0], pitch[0], host.data(), 10, 11, 2, cudaMemcpyHostToDevice) ==
             cudaErrorInvalidPitchValue,
         "a row longer than its pitch");
  EXPECT(cudaGetLastError() == cudaErrorInvalidPitchValue && cudaGetLastError() == cudaSuccess, "not sticky");
  EXPECT(cudaMemcpy2D(device[0], pitch[0], host.data(), 10, 5, 2, (cudaMemcpyKind)9) == cudaErrorInvalidMemcpyDirection,
         "no such direction");
  cudaGetLastError();
  printf("%016llx\n", (unsigned long long)sum);
  for (unsigned char *memory : device)
    CUDA(cudaFree(memory));
  CUDA(cudaStreamDestroy(stream));
  return passed();
}
