/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The shadow: one byte for each block of 2^scale bytes of an address window. It is in device memory, with a mirror on
 * the host.
 *
 * The host's mirror is authoritative. poison and unpoison change it and mark its bytes as dirty; flush uploads dirty
 * bytes. Addresses are device addresses, sizes are in bytes. A range must be in the window and start at a block; its
 * size is free (size 0: nothing happens). shadow/encoding.h defines the values. The shadow has one lock: any thread may
 * call any function. The caller owns the shadow and ends other threads' use of it before destroy. No function waits for
 * a stream.
 *
 * The shadow's device memory is divided into equal units. A unit without chunks is mapped as read-only poison. When a
 * part of the window comes into use, its unit gets memory, which the next flush maps in place of the poison. When the
 * part is out of use, a later flush maps poison again. During these microseconds a kernel that loads from the unit
 * faults. Running kernels have no valid pointer into the unit's part of the window. But the shadow byte of an address
 * outside the window may be in the unit, although it is never used. So code that allocates while kernels run should
 * test the window before it loads. */
#ifndef GASAN_SHADOW_SHADOW_H
#define GASAN_SHADOW_SHADOW_H

#include "base/status.h"
#include "device/device.h"
#include "shadow/encoding.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gasan_shadow;

/* Creates the shadow of the window [base, base + size). The size is a power of two of at least one block. The base is a
 * multiple of a block, but not necessarily of the window's size: the window's image in the shadow may wrap around, but
 * never overlaps itself. The shadow has NextPow2(size >> scale) bytes (gasan 3.2.2). Its memory is rounded up to a page
 * of the device, its mask is not. All of the shadow is readable on the device at once, and poisoned.
 *
 * Sets *shadow only if the status is OK; a failure leaves nothing behind. ERR_INVALID: base, size or scale is out of
 * its range. ERR_OUT_OF_HOST_MEMORY: no memory for the mirror. Else the device's status of reserve or map_filled. */
struct gasan_status gasan_shadow_create(struct gasan_device *device, uint64_t base, uint64_t size, uint32_t scale,
                                        struct gasan_shadow **shadow);
/* Releases everything. No kernel may load the shadow any more. NULL: does nothing. */
void gasan_shadow_destroy(struct gasan_shadow *shadow);

/* Return the parameters of instrumented code: the device address of shadow byte 0, the mask and the scale. No lock. */
uint64_t gasan_shadow_base(const struct gasan_shadow *shadow);
uint64_t gasan_shadow_mask(const struct gasan_shadow *shadow);
uint32_t gasan_shadow_scale(const struct gasan_shadow *shadow);

/* Makes [address, address + size) accessible; the address is aligned to a block. Poisons the rest of the last block.
 * With scale 8, size must not be 1 modulo 256, because no shadow byte encodes it (the pool makes such a chunk one byte
 * longer). Calls the device only if this part of the shadow needs memory. ERR_OUT_OF_MEMORY, ERR_DEVICE: the device has
 * no memory for it; nothing changed. */
struct gasan_status gasan_shadow_unpoison(struct gasan_shadow *shadow, uint64_t address, uint64_t size);
/* Poisons every block in [address, address + size), as a whole; the address is aligned to a block. Cannot fail. */
void gasan_shadow_poison(struct gasan_shadow *shadow, uint64_t address, uint64_t size);

/* Makes the first `accessible` bytes of each block in [address, address + size) accessible, and no others. All of these
 * blocks must be in use, between unpoison and leave. With scale 8, `accessible` must not be 1. Cannot fail. */
void gasan_shadow_limit(struct gasan_shadow *shadow, uint64_t address, uint64_t size, uint32_t accessible);

/* Ends the use of [address, address + size) that began with unpoison. The range must be poisoned again. If a unit has
 * no more users, its memory is free for other units after the next flush, or at once if there was no flush since
 * unpoison. Surplus memory then goes back to the device. Without this call, the memory stays in use. */
void gasan_shadow_leave(struct gasan_shadow *shadow, uint64_t address, uint64_t size);
/* Releases all unused memory at once. Returns how many bytes. */
uint64_t gasan_shadow_trim(struct gasan_shadow *shadow);

/* Maps and uploads all changes since the last flush; one atomic load if there are none. Returns when the device has
 * them. After a failure (the device's status) the device does not have all changes, and the next flush tries again. */
struct gasan_status gasan_shadow_flush(struct gasan_shadow *shadow);

/* Returns the mirror's byte for an address in the window, else the poison value; for reports and range checks on the
 * host. */
uint8_t gasan_shadow_get(const struct gasan_shadow *shadow, uint64_t address);

/* Returns the bytes of device memory in use, without the device's memory for map_filled. */
uint64_t gasan_shadow_memory(const struct gasan_shadow *shadow);

#ifdef __cplusplus
}
#endif
#endif
