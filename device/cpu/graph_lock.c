/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The lock of all graphs. */
#define _GNU_SOURCE /* PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP */
#include <pthread.h>

#include "device/cpu/graph.h"

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

void gasan_cpu_graph_lock(void) {
  pthread_mutex_lock(&lock);
}

void gasan_cpu_graph_unlock(void) {
  pthread_mutex_unlock(&lock);
}
