// Calls that are forbidden during capture, and the end of an invalidated capture: the call returns the reason, the
// stream is usable again, and there is no graph.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"
#include <thread>

__global__ void work(int *value) {
  atomicAdd(value, 1);
}

static cudaStream_t first, second;
static cudaEvent_t event, later;
static int *value, cases;

static void begin(cudaStream_t stream = first, cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) {
  CUDA(cudaStreamBeginCapture(stream, mode));
  work<<<1, 1, 0, stream>>>(value);
}

static void expect(cudaError_t got, cudaError_t wanted, const char *what) {
  EXPECT(got == wanted, "%s: %s, not %s", what, cudaGetErrorName(got), cudaGetErrorName(wanted));
  cudaGetLastError();
}

// Ends a capture that must have failed. Then the stream works as before.
static void spoilt(cudaError_t wanted, const char *what, cudaStream_t stream = first) {
  cudaGraph_t graph = reinterpret_cast<cudaGraph_t>(1);
  expect(cudaStreamEndCapture(stream, &graph), wanted, what);
  EXPECT(graph == nullptr, "%s: there is a graph", what);
  cudaStreamCaptureStatus status;
  for (cudaStream_t each : {first, second}) {
    CUDA(cudaStreamIsCapturing(each, &status));
    EXPECT(status == cudaStreamCaptureStatusNone, "%s: still captures", what);
    work<<<1, 1, 0, each>>>(value);
    CUDA(cudaStreamSynchronize(each));
  }
  ++cases;
}

static cudaStreamCaptureStatus state(cudaStream_t stream) {
  cudaStreamCaptureStatus status;
  CUDA(cudaStreamIsCapturing(stream, &status));
  return status;
}

int main() {
  CUDA(cudaMalloc(&value, sizeof(int)));
  CUDA(cudaMemset(value, 0, sizeof(int)));
  CUDA(cudaStreamCreate(&first));
  CUDA(cudaStreamCreate(&second));
  CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  CUDA(cudaEventCreateWithFlags(&later, cudaEventDisableTiming));
  cudaGraph_t graph;
  int *memory;

  begin();
  expect(cudaStreamSynchronize(first), cudaErrorStreamCaptureUnsupported, "waiting for the stream");
  EXPECT(state(first) == cudaStreamCaptureStatusInvalidated, "not invalidated");
  work<<<1, 1, 0, first>>>(value);
  expect(cudaGetLastError(), cudaErrorStreamCaptureInvalidated, "work behind the error");
  spoilt(cudaErrorStreamCaptureInvalidated, "waiting for the stream");

  begin();
  expect(cudaStreamQuery(first), cudaErrorStreamCaptureUnsupported, "asking the stream");
  spoilt(cudaErrorStreamCaptureInvalidated, "asking the stream");

  begin();
  expect(cudaDeviceSynchronize(), cudaErrorStreamCaptureUnsupported, "waiting for the device");
  spoilt(cudaErrorStreamCaptureInvalidated, "waiting for the device");

  begin();
  expect(cudaMalloc(&memory, 100), cudaErrorStreamCaptureUnsupported, "cudaMalloc");
  spoilt(cudaErrorStreamCaptureInvalidated, "cudaMalloc");

  begin();
  work<<<1, 1>>>(value);
  expect(cudaGetLastError(), cudaErrorStreamCaptureImplicit, "the legacy stream");
  cudaStreamEndCapture(first, &graph);
  cudaGetLastError();

  begin();
  CUDA(cudaEventRecord(event, first));
  CUDA(cudaStreamWaitEvent(second, event, 0));
  work<<<1, 1, 0, second>>>(value);
  spoilt(cudaErrorStreamCaptureUnjoined, "a fork that was not joined");

  CUDA(cudaEventRecord(event, second));
  begin();
  expect(cudaStreamWaitEvent(first, event, 0), cudaErrorStreamCaptureIsolation, "an event from outside");
  spoilt(cudaErrorStreamCaptureInvalidated, "an event from outside");

  begin(first, cudaStreamCaptureModeThreadLocal);
  begin(second, cudaStreamCaptureModeThreadLocal);
  CUDA(cudaEventRecord(event, first));
  expect(cudaStreamWaitEvent(second, event, 0), cudaErrorStreamCaptureMerge, "two captures that meet");
  cudaStreamEndCapture(first, &graph);
  cudaStreamEndCapture(second, &graph);
  cudaGetLastError();

  begin();
  CUDA(cudaEventRecord(event, first));
  CUDA(cudaStreamWaitEvent(second, event, 0));
  expect(cudaStreamEndCapture(second, &graph), cudaErrorStreamCaptureUnmatched, "the end in another stream");
  cudaStreamEndCapture(first, &graph);
  cudaGetLastError();

  begin(first, cudaStreamCaptureModeThreadLocal);
  cudaError_t elsewhere = cudaSuccess, allocated = cudaErrorUnknown;
  std::thread([&] {
    elsewhere = cudaStreamEndCapture(first, &graph);
    allocated = cudaMalloc(&memory, 100); // allowed: the capture restricts its own thread only
  }).join();
  expect(elsewhere, cudaErrorStreamCaptureWrongThread, "the end in another thread");
  expect(allocated, cudaSuccess, "cudaMalloc in another thread");
  cudaStreamEndCapture(first, &graph);
  cudaGetLastError();

  // Relaxed mode: another thread may end the capture, and cudaMalloc is allowed.
  begin(first, cudaStreamCaptureModeRelaxed);
  CUDA(cudaMalloc(&memory, 100));
  std::thread([&] { elsewhere = cudaStreamEndCapture(first, &graph); }).join();
  expect(elsewhere, cudaSuccess, "relaxed");
  CUDA(cudaGraphDestroy(graph));
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  CUDA(cudaThreadExchangeStreamCaptureMode(&mode));
  EXPECT(mode == cudaStreamCaptureModeGlobal, "mode %d", int(mode));
  begin();
  CUDA(cudaMalloc(&memory, 100)); // the thread has allowed unsafe calls
  CUDA(cudaStreamEndCapture(first, &graph));
  CUDA(cudaGraphDestroy(graph));
  CUDA(cudaThreadExchangeStreamCaptureMode(&mode));
  EXPECT(mode == cudaStreamCaptureModeRelaxed, "mode %d", int(mode));

  // Wrong calls.
  expect(cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeGlobal), cudaErrorStreamCaptureUnsupported,
         "the legacy stream's capture");
  EXPECT(cudaStreamEndCapture(first, &graph) != cudaSuccess, "the end of nothing");
  cudaGetLastError();
  begin();
  EXPECT(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal) != cudaSuccess, "begun twice");
  cudaStreamEndCapture(first, &graph);
  cudaGetLastError();
  CUDA(cudaDeviceSynchronize());
  int ran = 0;
  CUDA(cudaMemcpy(&ran, value, sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT(ran == 2 * cases, "%d kernels ran, not %d", ran, 2 * cases);
  printf("%d cases, %d kernels\n", cases, ran);
  return passed();
}
