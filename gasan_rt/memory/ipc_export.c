/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* struct ucred */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "gasan_rt/core/runtime.h"
#include "gasan_rt/memory/ipc.h"

#define MAGIC 0x63706967736167ull /* "gasgipc" */

struct export {
  struct gasan_rt_device *state;
  uint64_t base, sequence; /* of the chunk */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct export *exports; /* by id - 1; all under `lock` */
static uint64_t count, room;
static uint64_t key;
static pid_t serves; /* the process whose thread answers; a forked child starts its own */
static _Atomic bool any;

unsigned gasan_ipc_socket_name(int32_t pid, uint64_t key_of, char *name, unsigned size) {
  name[0] = 0;
  return 1 + (unsigned)snprintf(name + 1, size - 1, "gasan-ipc-%d-%016llx", pid, (unsigned long long)key_of);
}

/* Finds the physical allocations that hold the chunk. */
static uint32_t find_parts(const struct export *export, const struct gasan_chunk *chunk,
                           struct gasan_ipc_answer *answer, int fds[GASAN_IPC_PARTS]) {
  struct gasan_device *device = export->state->device;
  const uint64_t page = device->kind->page_size(device);
  uint64_t last = 0, allocation = 0;
  for (uint64_t at = chunk->base & -page; at < chunk->base + chunk->size; at += page, last = allocation) {
    if (!gasan_ok(device->kind->export_memory(device, at, &allocation, NULL)))
      return 0;
    if (answer->count && allocation == last) {
      answer->sizes[answer->count - 1] += page;
      continue;
    }
    if (answer->count == GASAN_IPC_PARTS)
      return 0;
    if (fds && !gasan_ok(device->kind->export_memory(device, at, &allocation, &fds[answer->count])))
      return 0;
    answer->sizes[answer->count++] = page;
  }
  return answer->count;
}

static bool find_chunk(const struct export *export, struct gasan_chunk *chunk) {
  return gasan_pool_find(export->state->pool, export->base, chunk) && chunk->state == GASAN_CHUNK_LIVE &&
         chunk->sequence == export->sequence;
}

/* Sends the answer with the file descriptors, and closes them. */
static void send_answer(int peer, const struct gasan_ipc_answer *answer, const int fds[GASAN_IPC_PARTS]) {
  char control[CMSG_SPACE(GASAN_IPC_PARTS * sizeof(int))] = {0};
  struct iovec data = {(void *)answer, sizeof *answer};
  struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1};
  if (answer->count) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(answer->count * sizeof(int));
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    *header = (struct cmsghdr){
        .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(answer->count * sizeof(int))};
    memcpy(CMSG_DATA(header), fds, answer->count * sizeof(int));
  }
  (void)sendmsg(peer, &message, MSG_NOSIGNAL);
}

static void answer_peer(int peer) {
  struct ucred other;
  socklen_t size = sizeof other;
  uint64_t id;
  if (getsockopt(peer, SOL_SOCKET, SO_PEERCRED, &other, &size) || (other.uid != geteuid() && other.uid != 0))
    return;
  if (setsockopt(peer, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){1, 0}, sizeof(struct timeval)) ||
      recv(peer, &id, sizeof id, 0) != sizeof id)
    return;
  struct export export = {0};
  pthread_mutex_lock(&lock);
  if (id - 1 < count)
    export = exports[id - 1];
  pthread_mutex_unlock(&lock);
  struct gasan_ipc_answer answer = {.count = 0};
  int fds[GASAN_IPC_PARTS] = {-1, -1, -1, -1};
  struct gasan_chunk chunk;
  if (export.state && find_chunk(&export, &chunk) && !find_parts(&export, &chunk, &answer, fds))
    answer.count = 0;
  send_answer(peer, &answer, fds);
  for (unsigned i = 0; i < GASAN_IPC_PARTS; i++)
    if (fds[i] >= 0)
      close(fds[i]);
}

static void *serve(void *argument) {
  const int listener = (int)(intptr_t)argument;
  for (;;) {
    const int peer = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (peer < 0) { /* too many open files, for example */
      nanosleep(&(struct timespec){0, 10000000}, NULL);
      continue;
    }
    answer_peer(peer);
    close(peer);
  }
  return NULL;
}

/* Starts the thread that answers. Must be called under the lock. */
static bool start_server(void) {
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  if (serves == getpid())
    return true;
  if (getrandom(&key, sizeof key, 0) != sizeof key)
    return false;
  const int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  const unsigned length = gasan_ipc_socket_name(getpid(), key, name.sun_path, sizeof name.sun_path);
  sigset_t all, old;
  pthread_t thread;
  if (listener < 0 ||
      bind(listener, (struct sockaddr *)&name, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length)) ||
      listen(listener, 64)) {
    if (listener >= 0)
      close(listener);
    return false;
  }
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  const bool started = !pthread_create(&thread, NULL, serve, (void *)(intptr_t)listener);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  if (started) {
    pthread_detach(thread);
    serves = getpid();
  } else {
    close(listener);
  }
  return started;
}

/* Adds an export, or finds that of the same chunk. Returns its id; 0: there is no memory. */
static uint64_t add_export(const struct export *export) {
  for (uint64_t i = 0; i < count; i++)
    if (exports[i].state == export->state && exports[i].sequence == export->sequence && exports[i].base == export->base)
      return i + 1;
  if (count == room) {
    const uint64_t more = room ? 2 * room : 16;
    struct export *larger = realloc(exports, more * sizeof *larger);
    if (!larger)
      return 0;
    exports = larger;
    room = more;
  }
  exports[count++] = *export;
  return count;
}

cudaError_t gasan_ipc_export(struct gasan_rt_device *state, const struct gasan_chunk *chunk,
                             cudaIpcMemHandle_t *handle) {
  const struct gasan_device_kind *kind = state->device->kind;
  const struct export export = {state, chunk->base, chunk->sequence};
  struct gasan_ipc_answer parts = {.count = 0};
  if (!kind->export_memory || !find_parts(&export, chunk, &parts, NULL))
    return cudaErrorNotSupported;
  pthread_mutex_lock(&lock);
  const uint64_t id = start_server() ? add_export(&export) : 0;
  const struct gasan_ipc_handle made = {
      .magic = MAGIC,
      .key = key,
      .id = id,
      .offset = chunk->base & (kind->page_size(state->device) - 1),
      .size = chunk->size,
      .pid = getpid(),
  };
  atomic_store(&any, true);
  pthread_mutex_unlock(&lock);
  _Static_assert(sizeof made <= sizeof *handle, "a handle must hold gasan's");
  memset(handle, 0, sizeof *handle);
  memcpy(handle, &made, sizeof made);
  return id ? cudaSuccess : cudaErrorMemoryAllocation;
}

bool gasan_ipc_is_exported(const struct gasan_chunk *chunk) {
  bool found = false;
  if (!atomic_load(&any))
    return false;
  pthread_mutex_lock(&lock);
  for (uint64_t i = 0; i < count && !found; i++)
    found = exports[i].base == chunk->base && exports[i].sequence == chunk->sequence;
  pthread_mutex_unlock(&lock);
  return found;
}

bool gasan_ipc_is_ours(const cudaIpcMemHandle_t *handle) {
  struct gasan_ipc_handle ours;
  memcpy(&ours, handle, sizeof ours);
  return ours.magic == MAGIC;
}
