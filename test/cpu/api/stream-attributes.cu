// Attributes of streams can be set, queried, and copied to another stream. The flags and the priority of a stream's
// creation do not change.
// RUN: %gasan -O1 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"

static cudaStreamAttrValue get(cudaStream_t stream, cudaStreamAttrID attribute) {
  cudaStreamAttrValue value;
  memset(&value, 0, sizeof value);
  CUDA(cudaStreamGetAttribute(stream, attribute, &value));
  return value;
}

int main() {
  cudaStream_t first, second;
  CUDA(cudaStreamCreate(&first));
  CUDA(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  const auto standard = get(first, cudaStreamAttributeSynchronizationPolicy).syncPolicy;
  cudaStreamAttrValue value;
  memset(&value, 0, sizeof value);
  for (auto policy : {cudaSyncPolicySpin, cudaSyncPolicyYield, cudaSyncPolicyBlockingSync}) {
    value.syncPolicy = policy;
    CUDA(cudaStreamSetAttribute(first, cudaStreamAttributeSynchronizationPolicy, &value));
    EXPECT(get(first, cudaStreamAttributeSynchronizationPolicy).syncPolicy == policy, "%d", (int)policy);
    EXPECT(get(second, cudaStreamAttributeSynchronizationPolicy).syncPolicy == standard, "the other stream");
  }
  CUDA(cudaStreamCopyAttributes(second, first));
  EXPECT(get(second, cudaStreamAttributeSynchronizationPolicy).syncPolicy == cudaSyncPolicyBlockingSync, "copied");
  unsigned flags = 99;
  CUDA(cudaStreamGetFlags(second, &flags));
  EXPECT(flags == cudaStreamNonBlocking, "%u", flags);
  int priority = 99;
  CUDA(cudaStreamGetPriority(first, &priority));
  EXPECT(get(first, cudaStreamAttributePriority).priority == priority, "%d", priority);
  CUDA(cudaStreamDestroy(first));
  CUDA(cudaStreamDestroy(second));
  puts("done");
  return passed();
}
