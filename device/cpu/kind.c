/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Implements struct gasan_device_kind for the CPU device. There is one device, with ordinal 0. */
#include <stdio.h>
#include <string.h>

#include "device/cpu/api.h"
#include "device/cpu/cpu.h"
#include "device/cpu/images.h"
#include "device/cpu/memory.h"
#include "device/cpu/print.h"
#include "device/cpu/worker.h"

static struct gasan_device the_device = {&gasan_device_cpu, 0};

static struct gasan_status start(const char **why) {
  if (!__builtin_cpu_supports("x86-64-v3")) {
    *why = "the CPU device needs a processor with AVX2, FMA and BMI2 (x86-64-v3)";
    return gasan_status_make(GASAN_ERR_NO_DEVICE);
  }
  gasan_cpu_fault_install();
  return gasan_status_make(GASAN_OK);
}

static int count_devices(void) {
  return 1;
}

static bool has_virtual_memory(int ordinal) {
  return ordinal == 0;
}

static int current_device(void) {
  return 0;
}

static struct gasan_status open_device(int ordinal, struct gasan_device **device) {
  if (ordinal != 0)
    return gasan_status_make(GASAN_ERR_NO_DEVICE);
  *device = &the_device;
  return gasan_status_make(GASAN_OK);
}

static void describe(struct gasan_device *device, char *text, size_t size) {
  snprintf(text, size, "%s", GASAN_CPU_DEVICE_NAME);
}

static uint64_t total_memory(struct gasan_device *device) {
  return gasan_cpu_memory_total();
}

static struct gasan_status find_symbol(struct gasan_device *device, const void *kernel, const char *name,
                                       uint64_t *address, uint64_t *size) {
  struct gasan_cpu_function *function = gasan_cpu_function_find(kernel);
  const struct gasan_cpu_variable *variable = function ? gasan_cpu_module_variable(function->module, name) : NULL;
  if (!variable)
    return gasan_status_make(GASAN_ERR_NOT_FOUND);
  *address = (uintptr_t)variable->address;
  *size = variable->size;
  return gasan_status_make(GASAN_OK);
}

static struct gasan_status find_variant(struct gasan_device *device, const void *kernel, const char *name,
                                        const void **function, uint32_t *most_threads) {
  *function = gasan_cpu_function_variant(kernel, name);
  *most_threads = *function ? gasan_cpu_function_threads(gasan_cpu_function_find(*function)) : 0;
  return gasan_status_make(*function ? GASAN_OK : GASAN_ERR_NOT_FOUND);
}

static struct gasan_status synchronize(struct gasan_device *device) {
  gasan_cpu_device_lock(); /* waits for kernels of other threads */
  gasan_cpu_device_unlock();
  gasan_cpu_print_flush();
  int error = gasan_cpu_device_error();
  return error ? gasan_status_driver(GASAN_ERR_DEVICE, error) : gasan_status_make(GASAN_OK);
}

static int idle(struct gasan_device *device) {
  return !gasan_cpu_launch_running();
}

const struct gasan_device_kind gasan_device_cpu = {
    .name = "cpu",
    .start = start,
    .api = gasan_cpu_api_find,
    .count = count_devices,
    .virtual_memory = has_virtual_memory,
    .current = current_device,
    .open = open_device,
    .describe = describe,
    .total_memory = total_memory,
    .page_size = gasan_cpu_page_size,
    .reserve = gasan_cpu_reserve,
    .release = gasan_cpu_release,
    .map = gasan_cpu_map,
    .unmap = gasan_cpu_unmap,
    .memory_create = gasan_cpu_memory_create,
    .memory_map = gasan_cpu_memory_map,
    .memory_release = gasan_cpu_memory_release,
    .map_filled = gasan_cpu_map_filled,
    .write = gasan_cpu_write,
    .read = gasan_cpu_read,
    .fill = gasan_cpu_fill,
    .host_alloc = gasan_cpu_host_alloc,
    .share_unit = 1,
    .share = gasan_cpu_share,
    .unshare = gasan_cpu_unshare,
    .device_alloc = gasan_cpu_device_alloc,
    .plain_alloc = gasan_cpu_plain_alloc,
    .plain_free = gasan_cpu_plain_free,
    .plain_copy = gasan_cpu_plain_copy,
    .symbol = find_symbol,
    .variant = find_variant,
    .synchronize = synchronize,
    .idle = idle,
    .set_launch_id = gasan_cpu_set_launch_id,
    .launch_id = gasan_cpu_launch_id,
};
