/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The cuda device: NVIDIA GPUs through the driver API. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include <dlfcn.h>
#include <stdio.h>

#include "base/check.h"
#include "device/cuda/cuda.h"
#include "device/cuda/gpu.h"

#define MAX_DEVICES 64

static struct gasan_cuda_device devices[MAX_DEVICES];
static bool opened[MAX_DEVICES];
static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;
static int device_count;

static struct gasan_status cuda_start(const char **why) {
  if (!gasan_cuda_load_driver(why))
    return gasan_status_make(GASAN_ERR_NO_DEVICE);
  CUresult result = CU(cuInit)(0);
  if (result == CUDA_SUCCESS)
    result = CU(cuDeviceGetCount)(&device_count);
  if (result == CUDA_ERROR_NO_DEVICE || (result == CUDA_SUCCESS && device_count == 0)) {
    *why = "the NVIDIA driver finds no GPU";
    return gasan_status_driver(GASAN_ERR_NO_DEVICE, result);
  }
  if (result != CUDA_SUCCESS) {
    /* The driver needs addresses in the gap of host ASan's shadow, which ASan makes inaccessible. */
    *why = dlsym(RTLD_DEFAULT, "__asan_get_shadow_mapping")
               ? "the NVIDIA driver does not start beside the host's AddressSanitizer: run with "
                 "ASAN_OPTIONS=protect_shadow_gap=0"
               : "the NVIDIA driver does not start (cuInit failed; does nvidia-smi work?)";
    return gasan_status_driver(GASAN_ERR_DEVICE, result);
  }
  if (!gasan_cuda_load_runtime(why))
    return gasan_status_make(GASAN_ERR_DEVICE);
  if (device_count > MAX_DEVICES)
    device_count = MAX_DEVICES;
  return gasan_status_make(GASAN_OK);
}

static int cuda_count(void) {
  return device_count;
}

static bool cuda_virtual_memory(int ordinal) {
  CUdevice device;
  int managed = 0;
  return CU(cuDeviceGet)(&device, ordinal) == CUDA_SUCCESS &&
         CU(cuDeviceGetAttribute)(&managed, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, device) ==
             CUDA_SUCCESS &&
         managed;
}

static int cuda_current(void) {
  /* Without a context, only the runtime knows the current device. A query of the runtime costs several times as much as
   * a query of the driver. */
  CUcontext current = NULL;
  if (CU(cuCtxGetCurrent)(&current) == CUDA_SUCCESS && current)
    for (int i = 0; i < device_count; i++)
      if (current == atomic_load_explicit(&devices[i].context, memory_order_relaxed))
        return i;
  int ordinal = 0;
  return gasan_cuda_runtime.cudaGetDevice(&ordinal) == cudaSuccess ? ordinal : 0;
}

static struct gasan_status open_device(int ordinal, struct gasan_cuda_device *device) {
  device->base.kind = &gasan_device_cuda;
  device->base.ordinal = ordinal;
  pthread_mutex_init(&device->filled_lock, NULL);
  pthread_mutex_init(&device->writes_lock, NULL);
  CUresult result = CU(cuDeviceGet)(&device->device, ordinal);
  CUcontext context = NULL;
  if (result == CUDA_SUCCESS)
    result = CU(cuDevicePrimaryCtxRetain)(&context, device->device);
  if (result != CUDA_SUCCESS)
    return gasan_cuda_status(result);
  atomic_store(&device->context, context);
  struct gasan_cuda_scope scope;
  struct gasan_status status = gasan_cuda_enter(device, &scope);
  if (!gasan_ok(status))
    return status;
  result = CU(cuStreamCreate)(&device->stream, CU_STREAM_NON_BLOCKING);
  if (result == CUDA_SUCCESS)
    result = CU(cuEventCreate)(&device->written, CU_EVENT_DISABLE_TIMING);
  int managed = 0, shares_managed = 0, exports = 0;
  CU(cuDeviceGetAttribute)(&exports, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, device->device);
  device->exports = exports;
  CU(cuDeviceGetAttribute)(&shares_managed, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, device->device);
  device->shares_managed = shares_managed;
  CU(cuDeviceGetAttribute)(&managed, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, device->device);
  device->page_size = 0;
  if (result == CUDA_SUCCESS && managed) {
    CUmemAllocationProp properties = {
        .type = CU_MEM_ALLOCATION_TYPE_PINNED,
        .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device->device},
    };
    size_t granularity = 0;
    result = CU(cuMemGetAllocationGranularity)(&granularity, &properties, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED);
    device->page_size = granularity;
  }
  gasan_cuda_leave(&scope);
  return gasan_cuda_status(result);
}

static struct gasan_status cuda_open(int ordinal, struct gasan_device **device) {
  if (ordinal < 0 || ordinal >= device_count)
    return gasan_status_make(GASAN_ERR_NO_DEVICE);
  pthread_mutex_lock(&open_lock);
  struct gasan_status status = gasan_status_make(GASAN_OK);
  if (!opened[ordinal]) {
    status = open_device(ordinal, &devices[ordinal]);
    opened[ordinal] = gasan_ok(status);
  }
  pthread_mutex_unlock(&open_lock);
  *device = gasan_ok(status) ? &devices[ordinal].base : NULL;
  return status;
}

static void cuda_describe(struct gasan_device *device, char *text, size_t size) {
  char name[256] = "NVIDIA GPU";
  CU(cuDeviceGetName)(name, sizeof name, gasan_cuda_device_of(device)->device);
  snprintf(text, size, "%s", name);
}

static uint64_t cuda_total_memory(struct gasan_device *device) {
  size_t bytes = 0;
  CU(cuDeviceTotalMem)(&bytes, gasan_cuda_device_of(device)->device);
  return bytes;
}

static struct gasan_status cuda_synchronize(struct gasan_device *device) {
  struct gasan_cuda_scope scope;
  struct gasan_status status = gasan_cuda_enter(gasan_cuda_device_of(device), &scope);
  if (!gasan_ok(status))
    return status;
  CUresult result = CU(cuCtxSynchronize)();
  gasan_cuda_leave(&scope);
  return gasan_cuda_status(result);
}

static struct gasan_status cuda_stack_limit(struct gasan_device *device, uint64_t *bytes) {
  struct gasan_cuda_scope scope;
  struct gasan_status status = gasan_cuda_enter(gasan_cuda_device_of(device), &scope);
  if (!gasan_ok(status))
    return status;
  size_t limit = 0;
  CUresult result = CU(cuCtxGetLimit)(&limit, CU_LIMIT_STACK_SIZE);
  gasan_cuda_leave(&scope);
  *bytes = limit;
  return gasan_cuda_status(result);
}

/* Sets the stack limit. The driver allocates the stacks some time before the next launch that needs them, and that
 * launch fails if there is no memory. So the limit is checked here. */
static CUresult set_stack_limit(CUdevice device, uint64_t bytes) {
  size_t limit = 0, available = 0, total = 0;
  int processors = 0, threads = 0;
  CUresult result = CU(cuCtxGetLimit)(&limit, CU_LIMIT_STACK_SIZE);
  if (result == CUDA_SUCCESS)
    result = CU(cuDeviceGetAttribute)(&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
  if (result == CUDA_SUCCESS)
    result = CU(cuDeviceGetAttribute)(&threads, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, device);
  if (result == CUDA_SUCCESS && bytes > limit) {
    result = CU(cuMemGetInfo)(&available, &total);
    uint64_t resident = (uint64_t)processors * (uint64_t)threads;
    if (result == CUDA_SUCCESS && resident && bytes - limit > available / 2 / resident)
      return CUDA_ERROR_OUT_OF_MEMORY;
  }
  return result == CUDA_SUCCESS ? CU(cuCtxSetLimit)(CU_LIMIT_STACK_SIZE, bytes) : result;
}

static struct gasan_status cuda_set_stack_limit(struct gasan_device *device, uint64_t bytes) {
  struct gasan_cuda_scope scope;
  struct gasan_status status = gasan_cuda_enter(gasan_cuda_device_of(device), &scope);
  if (!gasan_ok(status))
    return status;
  CUresult result = set_stack_limit(gasan_cuda_device_of(device)->device, bytes);
  gasan_cuda_leave(&scope);
  return gasan_cuda_status(result);
}

/* Returns the sticky error, with which every call fails. A query of our own stream disturbs no capture. */
static int cuda_failure(struct gasan_device *device) {
  struct gasan_cuda_scope scope;
  struct gasan_status status = gasan_cuda_enter(gasan_cuda_device_of(device), &scope);
  if (!gasan_ok(status))
    return status.driver_error;
  CUresult result = CU(cuStreamQuery)(gasan_cuda_device_of(device)->stream);
  gasan_cuda_leave(&scope);
  return result == CUDA_ERROR_NOT_READY ? 0 : (int)result;
}

static bool cuda_shares_managed(struct gasan_device *device) {
  return gasan_cuda_device_of(device)->shares_managed;
}

static int cuda_idle(struct gasan_device *device) {
  struct gasan_cuda_scope scope;
  if (!gasan_ok(gasan_cuda_enter(gasan_cuda_device_of(device), &scope)))
    return 1;
  /* The legacy stream is ready when all blocking streams are. It does not wait for non-blocking streams. */
  CUresult result = CU(cuStreamQuery)(CU_STREAM_LEGACY);
  gasan_cuda_leave(&scope);
  return result != CUDA_ERROR_NOT_READY;
}

/* CUDA 12.5 has cuCtxRecordEvent, by which an event marks the work of all streams. */
static CUresult record_all(struct gasan_cuda_device *gpu, CUevent event) {
  static void *_Atomic known;
  CUresult (*record)(CUcontext, CUevent) = (CUresult (*)(CUcontext, CUevent))known;
  if (!record)
    known = *(void **)&record = gasan_cuda_driver_symbol("cuCtxRecordEvent");
  return record ? record(gpu->context, event) : CUDA_ERROR_NOT_SUPPORTED;
}

static struct gasan_status cuda_mark_work(struct gasan_device *device, void **mark) {
  struct gasan_cuda_device *gpu = gasan_cuda_device_of(device);
  struct gasan_cuda_scope scope;
  struct gasan_status status = gasan_cuda_enter(gpu, &scope);
  if (!gasan_ok(status))
    return status;
  CUevent event = *mark;
  CUresult result = event ? CUDA_SUCCESS : CU(cuEventCreate)(&event, CU_EVENT_DISABLE_TIMING);
  *mark = result == CUDA_SUCCESS ? event : NULL;
  if (result == CUDA_SUCCESS)
    result = record_all(gpu, event);
  gasan_cuda_leave(&scope);
  return gasan_cuda_status(result);
}

static bool cuda_is_reached(struct gasan_device *device, void *mark) {
  struct gasan_cuda_scope scope;
  if (!gasan_ok(gasan_cuda_enter(gasan_cuda_device_of(device), &scope)))
    return true;
  CUresult result = CU(cuEventQuery)(mark);
  gasan_cuda_leave(&scope);
  return result != CUDA_ERROR_NOT_READY;
}

static bool cuda_is_current(struct gasan_device *device) {
  CUcontext current = NULL;
  return CU(cuCtxGetCurrent)(&current) == CUDA_SUCCESS && current && current == gasan_cuda_device_of(device)->context;
}

static void cuda_set_launch_id(uint64_t id) {
  (void)id; /* the hardware numbers grids itself */
}

const struct gasan_device_kind gasan_device_cuda = {
    .name = "cuda",
    /* Seen on an H200: a set of 64 MiB and copies of 100 bytes and of 32 MiB count, a copy of 400 bytes does not. */
    .sets_are_grids = true,
    .start = cuda_start,
    .api = gasan_cuda_runtime_symbol,
    .own_api = gasan_cuda_own_symbol,
    .count = cuda_count,
    .virtual_memory = cuda_virtual_memory,
    .current = cuda_current,
    .open = cuda_open,
    .describe = cuda_describe,
    .total_memory = cuda_total_memory,
    .page_size = gasan_cuda_page_size,
    .reserve = gasan_cuda_reserve,
    .release = gasan_cuda_release,
    .map = gasan_cuda_map,
    .unmap = gasan_cuda_unmap,
    .allow_peer = gasan_cuda_allow_peer,
    .reach_peer = gasan_cuda_reach_peer,
    .memory_create = gasan_cuda_memory_create,
    .memory_map = gasan_cuda_memory_map,
    .memory_release = gasan_cuda_memory_release,
    .map_filled = gasan_cuda_map_filled,
    .write = gasan_cuda_write,
    .write_later = gasan_cuda_write_later,
    .order = gasan_cuda_order,
    .finish_writes = gasan_cuda_finish_writes,
    .read = gasan_cuda_read,
    .fill = gasan_cuda_fill,
    .host_alloc = gasan_cuda_host_alloc,
    .share_unit = 4096,
    .share = gasan_cuda_share,
    .unshare = gasan_cuda_unshare,
    .device_alloc = gasan_cuda_device_alloc,
    .plain_alloc = gasan_cuda_plain_alloc,
    .plain_free = gasan_cuda_plain_free,
    .plain_copy = gasan_cuda_plain_copy,
    .symbol = gasan_cuda_symbol,
    .variant = gasan_cuda_variant,
    .function_symbol = gasan_cuda_function_symbol,
    .function_variant = gasan_cuda_function_variant,
    .load = gasan_cuda_load,
    .launch = gasan_cuda_launch,
    .launch_aside = gasan_cuda_launch_aside,
    .is_current = cuda_is_current,
    .synchronize = cuda_synchronize,
    .stack_limit = cuda_stack_limit,
    .set_stack_limit = cuda_set_stack_limit,
    .failure = cuda_failure,
    .shares_managed = cuda_shares_managed,
    .export_memory = gasan_cuda_export_memory,
    .map_exported = gasan_cuda_map_exported,
    .idle = cuda_idle,
    .mark_work = cuda_mark_work,
    .is_reached = cuda_is_reached,
    .set_launch_id = cuda_set_launch_id,
};
