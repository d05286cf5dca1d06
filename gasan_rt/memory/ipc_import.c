/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "gasan_rt/core/errors.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/core/warn.h"
#include "gasan_rt/memory/caller.h"
#include "gasan_rt/memory/foreign.h"
#include "gasan_rt/memory/ipc.h"

#define SECONDS 10 /* that the exporting process has for its answer */

struct import {
  struct gasan_rt_device *state;
  uint64_t key, id;        /* of the export */
  uint64_t base, reserved; /* the reserved addresses */
  uint64_t mapped;         /* bytes from `base` on */
  uint64_t pointer, size;  /* of the chunk */
  uint64_t users;
  struct import *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct import *imports; /* under `lock` */

/* Receives the answer with its file descriptors. */
static bool receive_answer(int server, struct gasan_ipc_answer *answer, int fds[GASAN_IPC_PARTS]) {
  char control[CMSG_SPACE(GASAN_IPC_PARTS * sizeof(int))];
  struct iovec data = {answer, sizeof *answer};
  struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  if (recvmsg(server, &message, MSG_CMSG_CLOEXEC) != sizeof *answer || answer->count > GASAN_IPC_PARTS)
    return false;
  const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (!answer->count)
    return true;
  if (!header || header->cmsg_type != SCM_RIGHTS || header->cmsg_len != CMSG_LEN(answer->count * sizeof(int)))
    return false;
  memcpy(fds, CMSG_DATA(header), answer->count * sizeof(int));
  return true;
}

/* Asks the exporting process. Returns false if it does not answer. */
static bool ask(const struct gasan_ipc_handle *handle, struct gasan_ipc_answer *answer, int fds[GASAN_IPC_PARTS]) {
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  const unsigned length = gasan_ipc_socket_name(handle->pid, handle->key, name.sun_path, sizeof name.sun_path);
  const int server = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (server < 0)
    return false;
  const bool answered =
      !setsockopt(server, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){SECONDS, 0}, sizeof(struct timeval)) &&
      !connect(server, (struct sockaddr *)&name, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length)) &&
      send(server, &handle->id, sizeof handle->id, MSG_NOSIGNAL) == sizeof handle->id &&
      receive_answer(server, answer, fds);
  close(server);
  return answered;
}

/* Maps the parts side by side, with at least a page behind that is not mapped. After an error, nothing is mapped. */
static struct gasan_status map_parts(struct import *import, const struct gasan_ipc_answer *answer, const int *fds) {
  struct gasan_device *device = import->state->device;
  const struct gasan_device_kind *kind = device->kind;
  const uint64_t page = kind->page_size(device);
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < answer->count; i++)
    bytes += answer->sizes[i];
  for (import->reserved = page; import->reserved < bytes + page;)
    import->reserved *= 2;
  struct gasan_status status = kind->reserve(device, import->reserved, page, &import->base);
  if (!gasan_ok(status))
    return status;
  for (uint32_t i = 0; i < answer->count && gasan_ok(status); i++) {
    status = kind->map_exported(device, import->base + import->mapped, answer->sizes[i], fds[i]);
    import->mapped += gasan_ok(status) ? answer->sizes[i] : 0;
  }
  if (!gasan_ok(status)) {
    if (import->mapped)
      kind->unmap(device, import->base, import->mapped);
    kind->release(device, import->base, import->reserved);
  }
  return status;
}

static cudaError_t refuse(const struct gasan_ipc_handle *handle, const char *api, const char *why) {
  gasan_rt_warn("%s: %s: process %d, which has exported the memory, %s", api, "the handle is not valid", handle->pid,
                why);
  return cudaErrorInvalidResourceHandle;
}

/* Maps the handle's memory. Returns NULL after an error. */
static struct import *make_import(struct gasan_rt_device *state, const struct gasan_ipc_handle *handle, const char *api,
                                  cudaError_t *error) {
  struct gasan_ipc_answer answer = {.count = 0};
  int fds[GASAN_IPC_PARTS] = {-1, -1, -1, -1};
  struct import *import = calloc(1, sizeof *import);
  *error = import ? cudaSuccess : cudaErrorMemoryAllocation;
  if (!import)
    return NULL;
  *import = (struct import){.state = state, .key = handle->key, .id = handle->id, .size = handle->size};
  if (!ask(handle, &answer, fds))
    *error = refuse(handle, api, "does not answer; it must live until the memory is opened");
  else if (!answer.count)
    *error = refuse(handle, api, "has freed it");
  else
    *error = gasan_cuda_error(map_parts(import, &answer, fds));
  for (unsigned i = 0; i < GASAN_IPC_PARTS; i++)
    if (fds[i] >= 0)
      close(fds[i]);
  import->pointer = import->base + handle->offset;
  if (*error == cudaSuccess)
    return import;
  free(import);
  return NULL;
}

static struct import *find_import(const struct gasan_rt_device *state, const struct gasan_ipc_handle *handle) {
  struct import *import = imports;
  while (import && !(import->state == state && import->key == handle->key && import->id == handle->id))
    import = import->next;
  return import;
}

cudaError_t gasan_ipc_open(struct gasan_rt_device *state, const cudaIpcMemHandle_t *handle, const char *api,
                           void **pointer) {
  struct gasan_ipc_handle ours;
  cudaError_t error = cudaSuccess;
  memcpy(&ours, handle, sizeof ours);
  if (ours.pid == getpid())
    return cudaErrorDeviceUninitialized;
  if (!state->device->kind->map_exported)
    return cudaErrorNotSupported;
  pthread_mutex_lock(&lock);
  struct import *import = find_import(state, &ours);
  const bool is_new = !import;
  if (is_new && (import = make_import(state, &ours, api, &error))) {
    import->next = imports;
    imports = import;
  }
  if (import) {
    import->users++;
    *pointer = (void *)(uintptr_t)import->pointer;
  }
  pthread_mutex_unlock(&lock);
  if (import && is_new)
    gasan_foreign_add(GASAN_FOREIGN_IMPORTED, *pointer, ours.size, gasan_memory_caller(api));
  return error;
}

bool gasan_ipc_close(void *pointer, const char *api, cudaError_t *error) {
  struct import **link = &imports;
  pthread_mutex_lock(&lock);
  while (*link && (*link)->pointer != (uintptr_t)pointer)
    link = &(*link)->next;
  struct import *import = *link;
  const bool last = import && --import->users == 0;
  if (last)
    *link = import->next;
  pthread_mutex_unlock(&lock);
  *error = cudaSuccess;
  if (!last)
    return import;
  struct gasan_device *device = import->state->device;
  gasan_foreign_end_inside(pointer, import->size, GASAN_FOREIGN_IMPORTED, gasan_memory_caller(api));
  *error = gasan_cuda_error(gasan_rt_synchronize(import->state));
  device->kind->unmap(device, import->base, import->mapped);
  device->kind->release(device, import->base, import->reserved);
  free(import);
  return true;
}
