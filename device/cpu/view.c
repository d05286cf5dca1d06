/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device/cpu/view.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "device/cpu/handles.h"
#include "device/cpu/worker.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct gasan_cpu_view *free_views;

static struct gasan_cpu_view *take_free(void) {
  pthread_mutex_lock(&lock);
  struct gasan_cpu_view *view = free_views;
  if (view)
    free_views = view->next;
  pthread_mutex_unlock(&lock);
  return view;
}

struct gasan_cpu_view *gasan_cpu_view_create(void) {
  struct gasan_cpu_view *view = take_free();
  if (!view)
    return gasan_cpu_handle_new(sizeof *view, GASAN_CPU_HANDLE_VIEW);
  memset(view, 0, sizeof *view);
  return view;
}

void gasan_cpu_view_destroy(struct gasan_cpu_view *view) {
  view->kind = GASAN_VIEW_NONE;
  pthread_mutex_lock(&lock);
  view->next = free_views;
  free_views = view;
  pthread_mutex_unlock(&lock);
}

struct gasan_cpu_view *gasan_cpu_view_of(uint64_t object, enum gasan_cpu_view_kind kind) {
  struct gasan_cpu_view *view = (struct gasan_cpu_view *)(uintptr_t)object;
  return gasan_cpu_handle_valid(view, GASAN_CPU_HANDLE_VIEW) && view->kind == kind ? view : NULL;
}

/* Does not look the handle up: a number that is no handle faults at its address, and the fault is reported. So
   sanitizers of the host must not check this access. */
__attribute__((no_sanitize("address", "undefined"))) const struct gasan_cpu_view *
gasan_cpu_view_find(uint64_t object, enum gasan_cpu_view_kind kind) {
  const struct gasan_cpu_view *view = (const struct gasan_cpu_view *)(uintptr_t)object;
  if (object % _Alignof(struct gasan_cpu_view) != 0 || view->kind != kind)
    gasan_cpu_view_fail(kind == GASAN_VIEW_TEXTURE ? "no such texture object" : "no such surface object");
  return view;
}

_Noreturn void gasan_cpu_view_fail(const char *what) {
  const struct gasan_cpu_thread *thread = &gasan_cpu_thread;
  fprintf(stderr, "gasan: %s in kernel %s, block (%u,%u,%u), thread (%u,%u,%u)\n", what,
          gasan_cpu_launch_name(gasan_cpu_worker->launch), thread->ctaid[0], thread->ctaid[1], thread->ctaid[2],
          thread->tid[0], thread->tid[1], thread->tid[2]);
  gasan_cpu_trap(0);
}
