/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The shadow: one byte for each 2^scale bytes (a block) of an address window, on the device, with a mirror on the host.
 *
 * The host mirror is authoritative: poison and unpoison change it and remember the dirty bytes; flush uploads them.
 * Addresses are device addresses, sizes bytes; ranges must lie in the window and start at a block, their size is free
 * (size 0: nothing is done). What a byte means: shadow/encoding.h. One lock inside: any thread; the caller owns the
 * shadow and ends its use by other threads before destroy. No function waits for a stream.
 *
 * The device memory is taken in equal units. A unit that no chunk needed yet is mapped as read-only poison. When a part
 * of the window comes into use, memory is taken for its unit; the next flush maps it in place of the poison. When it is
 * out of use, a later flush goes the other way round. For these microseconds a kernel that loads the unit's shadow
 * faults. Kernels that run meanwhile have no valid pointer into the unit's part of the window, but addresses outside
 * the window may have their (unused) shadow byte there: code that allocates while kernels run should test the window
 * before it loads. */
#ifndef GASAN_SHADOW_SHADOW_H
#define GASAN_SHADOW_SHADOW_H

#include "base/status.h"
#include "device/device.h"
#include "shadow/encoding.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gasan_shadow;

/* For the window [base, base + size): size a power of two of at least one block, base a multiple of the block (not of
 * the window: the window's image in the shadow may wrap around, it never overlaps itself). The shadow's own size is
 * NextPow2(size >> scale) (gasan 3.2.2), rounded up to a page of the device as memory, not in the mask; the whole of it
 * is readable on the device from the start and says "poisoned". *shadow is only set if the status is OK. ERR_INVALID:
 * base, size or scale are not as said. ERR_OUT_OF_HOST_MEMORY: no mirror. Else what the device said to reserve and
 * map_filled; nothing is left behind then. */
struct gasan_status gasan_shadow_create(struct gasan_device *device, uint64_t base, uint64_t size, uint32_t scale,
                                        struct gasan_shadow **shadow);
/* Gives everything back; NULL: nothing. No kernel may run that loads the shadow. */
void gasan_shadow_destroy(struct gasan_shadow *shadow);

/* What instrumented code needs: the device address of shadow byte 0, and the mask. No lock. */
uint64_t gasan_shadow_base(const struct gasan_shadow *shadow);
uint64_t gasan_shadow_mask(const struct gasan_shadow *shadow);
uint32_t gasan_shadow_scale(const struct gasan_shadow *shadow);

/* Makes [address, address + size) accessible; address aligned to a block. The rest of the last block becomes poisoned.
 * With scale 8, size must not be 1 modulo 256: no shadow byte says so (the pool gives such a chunk one byte more).
 * ERR_OUT_OF_MEMORY, ERR_DEVICE: the device has no memory for this part of the shadow; nothing changed. No device call
 * if that memory is there already, and none but to get it. */
struct gasan_status gasan_shadow_unpoison(struct gasan_shadow *shadow, uint64_t address, uint64_t size);
/* Poisons every block that [address, address + size) touches; address aligned to a block. Cannot fail. */
void gasan_shadow_poison(struct gasan_shadow *shadow, uint64_t address, uint64_t size);

/* The end of one unpoison's use of [address, address + size), which is poisoned by now: memory of parts of the shadow
 * that nobody uses any more is for others from the next flush on, at once if there was no flush since the unpoison;
 * what is too much then goes back to the device. Who never calls it keeps the memory. */
void gasan_shadow_leave(struct gasan_shadow *shadow, uint64_t address, uint64_t size);
/* Gives back all memory that nobody uses, at once. Returns how many bytes. */
uint64_t gasan_shadow_trim(struct gasan_shadow *shadow);

/* Maps and uploads what changed since the last flush; cheap (one atomic load) if nothing did. Returns when the device
 * has it. On failure (the device's status) the device does not have all of it, and the next flush tries again. */
struct gasan_status gasan_shadow_flush(struct gasan_shadow *shadow);

/* The mirror's byte for an address in the window (poison value outside); for reports and host-side range checks. */
uint8_t gasan_shadow_get(const struct gasan_shadow *shadow, uint64_t address);

/* Device bytes taken now; neither the mirror nor what the device keeps for map_filled. */
uint64_t gasan_shadow_memory(const struct gasan_shadow *shadow);

#ifdef __cplusplus
}
#endif
#endif
