/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Device memory that processes share (cuIpcGetMemHandle and kin). The driver has such handles only for memory of its
 * own. For a chunk of the pool, the handle names a socket of the exporting process. The importing process asks there
 * for the file descriptors of the chunk's pages, and maps them with an unmapped page behind.
 *
 * Both processes must run with gasan, as the same user, in one network namespace. The importing process knows the
 * chunk's size, so that copies are checked. The chunk's canaries are the exporting process's.
 *
 * Any thread. Two locks (ipc_export.c, ipc_import.c). */
#ifndef GASAN_RT_IPC_H
#define GASAN_RT_IPC_H

#include <driver_types.h>
#include <stdbool.h>
#include <stdint.h>

#include "pool/pool.h"

struct gasan_rt_device;

/* A physical allocation that holds a part of a chunk. */
#define GASAN_IPC_PARTS 4u

/* The content of a cudaIpcMemHandle_t. */
struct gasan_ipc_handle {
  uint64_t magic;
  uint64_t key, id;      /* of the exporting process's socket, and of the export */
  uint64_t offset, size; /* of the chunk: from the first page's start, in bytes */
  int32_t pid;
};

/* The answer of the socket to an id (8 bytes), with `count` file descriptors; count 0: the memory was freed. */
struct gasan_ipc_answer {
  uint64_t sizes[GASAN_IPC_PARTS]; /* in bytes */
  uint32_t count;
};

/* Sets *handle for the chunk. Errors: cudaErrorNotSupported (the device cannot share), cudaErrorMemoryAllocation. */
cudaError_t gasan_ipc_export(struct gasan_rt_device *state, const struct gasan_chunk *chunk,
                             cudaIpcMemHandle_t *handle);
/* Returns true if the chunk was exported: another process may write there. */
bool gasan_ipc_is_exported(const struct gasan_chunk *chunk);

/* Returns true if the handle is one of gasan's. */
bool gasan_ipc_is_ours(const cudaIpcMemHandle_t *handle);
/* Maps the memory of a handle of gasan's, or counts one more user if it is mapped. Sets *pointer. Errors:
 * cudaErrorDeviceUninitialized (this process has exported it), cudaErrorInvalidResourceHandle (the exporting process or
 * its memory is gone), and those of the device. */
cudaError_t gasan_ipc_open(struct gasan_rt_device *state, const cudaIpcMemHandle_t *handle, const char *api,
                           void **pointer);
/* Removes a user of memory that gasan_ipc_open has mapped; the last one unmaps it. Returns false if it is no such
 * memory. */
bool gasan_ipc_close(void *pointer, const char *api, cudaError_t *error);

/* Returns the length of the socket's name, an abstract one. */
unsigned gasan_ipc_socket_name(int32_t pid, uint64_t key, char *name, unsigned room);

#endif
