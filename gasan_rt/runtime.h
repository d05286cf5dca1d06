/* The runtime's state: which device kind runs the kernels, and what it keeps for each device ordinal.
 *
 * Any thread. The runtime starts at the first CUDA call that needs a device (registrations alone do not start it), so a
 * program may fork before it uses CUDA. */
#ifndef GASAN_RT_RUNTIME_H
#define GASAN_RT_RUNTIME_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/abi.h"
#include "device/device.h"
#include "gasan_rt/stack_limit.h"
#include "pool/pool.h"

/* As many ordinals as are known by number; further devices are not checked. */
#define GASAN_RT_DEVICES 64

/* One device ordinal, made when it is first used. */
struct gasan_rt_device {
  struct gasan_device *device;
  struct gasan_pool *pool; /* NULL: the device has no virtual memory management; allocations are not checked */
  struct gasan_params params; /* what every image on the device gets, but for module_id */
  bool shadow, tables; /* what the pool has for code in shadow mode and in BST mode */
  uint32_t shadow_scale; /* that the pool was created for; 0: without a shadow */
  struct gasan_ranges *foreign; /* lookup.c's; NULL: none */
  pthread_mutex_t foreign_lock;
  struct gasan_range *foreign_ranges; /* what was uploaded; under the lock */
  uint64_t foreign_count;
  _Atomic uint64_t foreign_version; /* counts the uploads */
  _Atomic uint64_t foreign_generation; /* of what was uploaded */
  struct gasan_ring *ring;
  uint64_t control_address;
  _Atomic uint64_t reaches; /* a bit for each ordinal whose pool its kernels may use: peers.c's */
  pthread_mutex_t fault_lock;
  _Atomic uint32_t seen_records; /* written under fault_lock, which guards what follows */
  uint32_t reported_count;
  uint64_t reported_keys[GASAN_RING_RECORDS]; /* since the ring was last emptied: one report a site and launch */
  /* Changed by launch.c alone: launches, those of them that started a grid, and whether grids were started that we could
   * not count. */
  _Atomic uint64_t launches, grids;
  _Atomic bool numbers_shifted;
  struct gasan_stack_limit stack;
  _Atomic bool error_told; /* device_error.c's */
  _Atomic uint64_t launches_begun, launches_made, launches_complete; /* upload.c's */
  _Atomic bool upload_wanted;                                        /* upload.c's */
  struct gasan_view_mirror *_Atomic views; /* view_table.c's; NULL: none */
  _Atomic bool views_changed;              /* views.c's, and: */
  uint64_t views_frees;
};

/* Starts the runtime if need be. Ends the process with a sentence if the device that the user asked for is not there. */
const struct gasan_device_kind *gasan_rt_kind(void);

/* True between the start and the end of the process; not in a child of it. */
bool gasan_rt_started(void);

/* Ends the process with a sentence if modules are registered that were compiled with different granules, or some with tags and
 * some without, or with another granule than that of a pool that there is. */
void gasan_rt_check_images(void);

/* Was the program compiled with -fsanitize-gpu-address-tags? */
bool gasan_rt_tags(void);

/* True in the child of a process that had started the runtime. */
bool gasan_rt_forked(void);

/* The state of the device that is current on the calling thread. NULL: the device cannot be opened, or was opened by the
 * process that forked this one; the caller forwards
 * the call, so the program sees CUDA's own error. */
struct gasan_rt_device *gasan_rt_current(void);

/* The state of an ordinal, opened if need be. NULL: it cannot be. */
struct gasan_rt_device *gasan_rt_open(int ordinal);

/* The state of an ordinal that was opened before. */
struct gasan_rt_device *gasan_rt_device(int ordinal);

/* The device whose pool has the address in its window, or NULL. No lock. In the forked child there is none. */
struct gasan_rt_device *gasan_rt_owner(const void *address);

/* Calls visit for each opened device. */
void gasan_rt_each_device(void (*visit)(struct gasan_rt_device *state));

/* Uploads what the host changed; before any launch. Says so if it fails. */
struct gasan_status gasan_rt_flush(struct gasan_rt_device *state);
/* The same for what is launched in a stream, which waits for it in the host's place. */
struct gasan_status gasan_rt_flush_for(struct gasan_rt_device *state, void *stream);

/* The device kind's own implementation of the API function, found once:
 * cudaError_t error = GASAN_REAL(cudaFree)(pointer); */
#define GASAN_REAL(function)                  \
  ({                                          \
    static void *_Atomic real_;               \
    void *target_ = atomic_load(&real_);      \
    if (!target_) {                           \
      target_ = gasan_forward_target(#function); \
      atomic_store(&real_, target_);          \
    }                                         \
    (__typeof__(&function))target_;           \
  })

/* The function that a call of `symbol` goes to on this device; never NULL: one that says "not supported" by name, once,
 * and returns cudaErrorNotSupported stands in for a missing one. */
void *gasan_forward_target(const char *symbol);

/* cudaErrorMemoryAllocation etc. for a failed status. */
int gasan_rt_cuda_error(struct gasan_status status);

/* A line on the report channel for what is not an error of the user's: "==pid==gasan: ...". */
void gasan_rt_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
