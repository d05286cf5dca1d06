/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The ABI between instrumented device code, the device runtime and the host runtime.
 *
 * This header is C11, C++17 and device code. All addresses are device addresses, all sizes are in bytes. A device image
 * has two symbols. The host fills GASAN_PARAMS_SYMBOL (struct gasan_params) before it launches the image's first
 * kernel. GASAN_SITES_SYMBOL (base/sites.h) is constant. */
#ifndef GASAN_BASE_ABI_H
#define GASAN_BASE_ABI_H

#ifndef GASAN_DEVICE_CODE
#include <stdint.h>
#else
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
#endif

/* Begins the definition of a function in a header that the host, the pass and device code share. */
#ifdef GASAN_DEVICE_CODE
#define GASAN_ABI_FUNCTION static __attribute__((device, always_inline, unused))
#else
#define GASAN_ABI_FUNCTION static inline
#endif

#define GASAN_ABI_VERSION 17u
#define GASAN_PARAMS_SYMBOL "__gasan_params"
#define GASAN_SITES_SYMBOL "__gasan_sites"

/* __managed__ variables: the annotation in device code (driver/gasan_managed.h), and the suffix of the pointer by which
 * device code reaches the host's variable. The pointer's name is the variable's name and the suffix. */
#define GASAN_MANAGED_ANNOTATION "gasan_managed"
#define GASAN_MANAGED_SUFFIX "__gasan_managed"

/* The parameters that instrumented code reads at every check.
 *
 * An address is in the pool's window if ((address >> 32) & window_mask_high) == window_base_high. The window's size is
 * a power of two of at least 4 GiB, and its base is a multiple of its size. Only an address in the window has a shadow
 * byte, at shadow_base + ((address >> scale) & shadow_mask); the mask wraps (gasan 3.2.2). That byte is readable for
 * every address in the window. With an image's initial values, no address is in the window and nothing is checked. */
struct gasan_params {
  uint64_t shadow_base;
  uint64_t shadow_mask;
  uint32_t window_mask_high;
  uint32_t window_base_high;
  uint64_t ring;         /* struct gasan_ring in host memory, mapped on the device; 0: faults are not recorded */
  uint64_t ring_control; /* struct gasan_ring_control, device memory */
  uint32_t module_id;    /* from 1; the host assigns it */
  uint32_t abi_version;
  uint64_t handle_table; /* struct gasan_handle_entry[2^k] by id (handles/codec.h); 0: the program has addresses */
  uint32_t handle_shift; /* 64 - k: the bits from this one on are the id */
  uint32_t code;         /* enum gasan_code; the host keeps the image's value */
  /* The tables for lookups of bounds (shadow/bounds.h). window_size 0: nothing is known or checked. */
  uint64_t page_map;     /* struct gasan_page[window size >> GASAN_MAP_PAGE_SHIFT]; 0 with tags */
  uint64_t block_tables; /* struct gasan_block_table[] */
  uint64_t entry_map;    /* gasan_page_word[window size >> GASAN_MAP_PAGE_SHIFT]; 0 without tags */
  uint64_t entry_tables; /* struct gasan_entry_table[] */
  uint64_t bst;          /* struct gasan_bst_entry[] */
  uint64_t foreign;      /* struct gasan_range_table: memory outside the pool; 0: none */
  uint64_t search;       /* struct gasan_range_table: all chunks, for lookup=tree and lookup=list */
  uint64_t counters;     /* struct gasan_counters; 0: nothing is counted */
  uint64_t window_base;
  uint64_t window_size;
  uint64_t heap;  /* the device heap; 0: none yet */
  uint64_t views; /* struct gasan_view_table (base/views.h); 0: no texture or surface object is checked */
  /* Window size >> 32 if there is a page map, else 0. Code that reads the page map tests only this member. */
  uint32_t mapped_high;
  uint32_t dead_textures; /* 1: the table of views has textures that were destroyed, or whose memory was freed */
  uint32_t lookup;        /* enum gasan_lookup */
  uint32_t flags;         /* enum gasan_flag, or'ed */
};

/* The kind of pool, or the mode, that instrumented code was compiled for (-fsanitize-gpu-address-pool=, -mode=). */
enum gasan_code {
  GASAN_CODE_WINDOW = 0,  /* treats each pointer as an address */
  GASAN_CODE_HANDLES = 1, /* translates handles at each access; also works with addresses */
  GASAN_CODE_BST = 2,     /* -fsanitize-gpu-address-mode=bst: treats each pointer as an address, and needs no shadow */
};

/* How bounds are looked up (GASAN_OPTIONS=lookup=). gpuarmor 5 compares these methods. */
enum gasan_lookup {
  GASAN_LOOKUP_PAGEMAP = 0,
  GASAN_LOOKUP_TREE = 1, /* every chunk in one search tree */
  GASAN_LOOKUP_LIST = 2, /* every chunk in one list */
};

enum gasan_flag {
  GASAN_FLAG_HEAP = 2,            /* the module allocates in kernels */
  GASAN_FLAG_TAGS = 4,            /* -fsanitize-gpu-address-tags (shadow/tags.h) */
  GASAN_FLAG_UNKNOWN_STACK = 8,   /* a kernel of the module has GASAN_KERNEL_UNKNOWN_STACK */
  GASAN_FLAG_VIEWS = 16,          /* the module uses texture or surface objects */
  GASAN_FLAG_RECOVER = 32,        /* -fsanitize-gpu-address-recover */
  GASAN_FLAG_CONTINUE = 64,       /* GASAN_OPTIONS=on_error=continue: threads of such code go on after a report */
  GASAN_FLAG_STRICT_TEMPORAL = 1, /* bounds are looked up again at each access (gpuarmor 7.2) */
};
/* The flags that the pass sets. The host keeps the image's values. */
#define GASAN_FLAGS_OF_IMAGE                                                                                           \
  (GASAN_FLAG_HEAP | GASAN_FLAG_TAGS | GASAN_FLAG_UNKNOWN_STACK | GASAN_FLAG_VIEWS | GASAN_FLAG_RECOVER)

/* The object of the accessed pointer: an index from 1 in the module's table of variables (base/sites.h), or one of
 * these. */
enum gasan_object_code {
  GASAN_OBJECT_MEMORY = 0,                   /* a chunk or foreign memory; the bounds' base says which */
  GASAN_OBJECT_NULL = 0xffffff00u,           /* none: the pointer is null or close to null */
  GASAN_OBJECT_WILD = 0xffffff01u,           /* none: no object has the address */
  GASAN_OBJECT_SHARED = 0xffffff02u,         /* the block's shared memory as a whole */
  GASAN_OBJECT_DYNAMIC_SHARED = 0xffffff03u, /* the block's dynamic shared memory */
  GASAN_OBJECT_LOCAL = 0xffffff04u,          /* the thread's stack, but no known variable */
  GASAN_OBJECT_DEAD_FRAME = 0xffffff05u,     /* the stack of a function that has returned */
  GASAN_OBJECT_HEAP = 0xffffff06u,           /* a chunk of the device heap */
  GASAN_OBJECT_MISALIGNED = 0xffffff07u,     /* any; the access needs an address that is a multiple of bounds_size */
  /* An unknown one: any address between null and the greatest address may have memory. */
  GASAN_OBJECT_UNKNOWN = 0xffffff08u,
  /* None: `address` is the mask of a warp operation. The calling thread is not in the mask. */
  GASAN_OBJECT_WARP_MASK = 0xffffff09u,
  /* Memory, unknown or null, as the bounds say. No record has this code. */
  GASAN_OBJECT_OF_BOUNDS = 0xffffff0au,
  /* None: `address` is a texture or surface object. `bounds_base` has x in its low and y in its high half.
   * `bounds_size` has z (the slice or layer) in its low half, and the object's number (base/views.h) in its high
   * half. */
  GASAN_OBJECT_VIEW_OUTSIDE = 0xffffff0bu,    /* the coordinates are outside the array */
  GASAN_OBJECT_VIEW_DEAD = 0xffffff0cu,       /* the object was destroyed, or its memory was freed */
  GASAN_OBJECT_VIEW_MISALIGNED = 0xffffff0du, /* x is not a multiple of the access's size */
  /* Memory of a sub-allocator, in a block whose pointers have different bounds. The foreign ranges have them. No record
   * has this code. */
  GASAN_OBJECT_REGIONS = 0xffffff0eu,
};

/* Initial values in the image: a high mask of 0 and a high base of 1 match no address. */
#define GASAN_PARAMS_UNSET_MASK_HIGH 0u
#define GASAN_PARAMS_UNSET_BASE_HIGH 1u

enum gasan_access {
  GASAN_ACCESS_READ = 0,
  GASAN_ACCESS_WRITE = 1,
  GASAN_ACCESS_ATOMIC = 2,   /* reads and writes; reported as WRITE, as ASan does */
  GASAN_ACCESS_FREE = 3,     /* no access: free in a kernel */
  GASAN_ACCESS_ALLOCATE = 4, /* no access: malloc in a kernel */
  GASAN_ACCESS_WARP = 5,     /* no access: a warp operation with a mask; the site's size is its number (base/warp.h) */
};

/* In place of an index: sites without a number. Their code calls ASan's entry points and was linked without the pass,
 * or calls them through a pointer. */
#define GASAN_SITE_UNKNOWN_READ 0xfffffffeu
#define GASAN_SITE_UNKNOWN_WRITE 0xffffffffu

/* One faulting access. The device writes all other members, and then `ready` = 1 with a system-scope release. */
struct gasan_record {
  uint32_t ready;
  uint32_t module_id;
  uint32_t site; /* index in the module's site table, or GASAN_SITE_UNKNOWN_... */
  uint32_t shadow_value;
  uint64_t address; /* first byte of the access */
  uint64_t size;    /* bytes of the access */
  uint64_t fault;   /* first inaccessible byte; address <= fault < address + size */
  /* Low 32 bits of the launch's number on its device, from 1 (%gridid; on the CPU device, the host sets it). */
  uint64_t grid_id;
  uint64_t key;   /* of the gasan_fault_slot: the same for all faults of one site in one launch */
  uint64_t order; /* linear index of the thread in the grid; the host reports the smallest */
  uint32_t thread[3];
  uint32_t block[3];
  uint32_t block_dim[3];
  uint32_t grid_dim[3];
  /* GASAN_CODE_BST: the pointer's bounds, [bounds_base, bounds_base + bounds_size), and their object. If the size is 0,
   * the object is dead or there is none, and every access is a fault. */
  uint64_t bounds_base, bounds_size;
  uint32_t object; /* enum gasan_object_code or a variable */
  uint32_t code;   /* enum gasan_code of the access: it decides which of the members above are valid */
  uint64_t detail; /* further information, for some objects */
  uint32_t pad[4];
};

#define GASAN_RING_RECORDS 4096u
#define GASAN_FAULT_SLOTS 1024u
#define GASAN_UNKNOWN_RECORDS 64u
#define GASAN_UNKNOWN_SEEN 256u

/* All members are 0 at first. */
struct gasan_ring {
  uint32_t stop; /* the host sets it: faulting threads then exit without a record */
  uint32_t pad[31];
  struct gasan_record records[GASAN_RING_RECORDS];
  /* The latest pointers to unknown memory. They are no faults, unless the device cannot access that memory. It then
   * stops the kernel, and the host can no longer read device memory, but it can read these records. */
  struct gasan_record unknown[GASAN_UNKNOWN_RECORDS];
};

/* Faults of one site in one launch: the number of threads, and the smallest `order` so far (inverted, so that zeroed
 * memory means "none yet"). A thread writes a record only if its `order` is smaller. So millions of faulting threads
 * write a handful of records, and the smallest `order` is always among them. */
struct gasan_fault_slot {
  uint64_t key; /* 0: free */
  uint64_t best_order_inverted;
  uint64_t count;
};

struct gasan_ring_control {
  uint32_t claimed; /* records handed out; those from GASAN_RING_RECORDS on are not written */
  uint32_t unknown; /* records of unknown pointers handed out; they wrap around */
  uint64_t faults;  /* all faulting threads */
  uint64_t dropped; /* faults that found neither slot nor record */
  struct gasan_fault_slot slots[GASAN_FAULT_SLOTS];
  /* Hashes of the latest unknown pointers with a record: of site, launch and neighbourhood. */
  uint64_t unknown_seen[GASAN_UNKNOWN_SEEN];
  /* Code without branches writes to these members when there is nothing to record. */
  uint32_t spare_claimed;
  uint32_t pad;
  struct gasan_fault_slot spare_slot;
  struct gasan_record spare_record;
};

#ifndef GASAN_DEVICE_CODE
#ifdef __cplusplus
static_assert(sizeof(struct gasan_params) == 176, "device code was built with this layout");
static_assert(sizeof(struct gasan_record) == 160, "device code was built with this layout");
#else
_Static_assert(sizeof(struct gasan_params) == 176, "device code was built with this layout");
_Static_assert(sizeof(struct gasan_record) == 160, "device code was built with this layout");
#endif
#endif
#endif
