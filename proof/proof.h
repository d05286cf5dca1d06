/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The launch proof on the host: reads the table that the compiler wrote for a module (base/proof_table.h), and decides
 * for a launch whether all claims of its kernel hold, so that the proven variant may run.
 *
 * Any thread; each kernel has a lock for its decisions. No function calls a device. */
#ifndef GASAN_PROOF_PROOF_H
#define GASAN_PROOF_PROOF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/proof_table.h"
#include "shadow/bounds.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gasan_proofs; /* the table of a module */
struct gasan_proof;  /* the claims of a kernel */

/* Copies the blob and checks every index in it. Returns NULL if the blob is not a table of this version, if it is
 * damaged, or if there is no memory; then sets `why` to the reason (never empty, truncated to why_size). */
struct gasan_proofs *gasan_proofs_parse(const void *blob, size_t size, char *why, size_t why_size);
void gasan_proofs_free(struct gasan_proofs *proofs);

/* Returns the kernel's claims, which live as long as the table; NULL: the kernel has no proven variant. */
struct gasan_proof *gasan_proofs_kernel(struct gasan_proofs *proofs, const char *symbol);
/* Calls visit for each kernel in the table. */
void gasan_proofs_each(struct gasan_proofs *proofs, void (*visit)(struct gasan_proof *proof, void *context),
                       void *context);

const char *gasan_proof_name(const struct gasan_proof *proof);
uint32_t gasan_proof_argument_count(const struct gasan_proof *proof); /* of `full` */
uint32_t gasan_proof_hidden_count(const struct gasan_proof *proof);
/* Returns the number of 64-bit values that the bounded variant gets in addition to the arguments of `full`; 0: there is
 * no such variant. */
uint32_t gasan_proof_bounded_count(const struct gasan_proof *proof);
/* Returns the number of checks that the proven variant still makes; 0 if `proof` is NULL. */
uint32_t gasan_proof_kept_checks(const struct gasan_proof *proof);
uint32_t gasan_proof_claim_count(const struct gasan_proof *proof);

struct gasan_proof_thread {
  uint32_t thread[3], block[3];
};

struct gasan_proof_launch {
  uint32_t grid[3], block[3];
  uint64_t dynamic_shared;
  void *const *arguments;                  /* as for cudaLaunchKernel */
  const struct gasan_proof_thread *thread; /* NULL: all threads of the launch */
};

/* Finds the bounds of a pointer that a kernel of this device gets. */
struct gasan_proof_lookup {
  /* Returns the bounds that the kernel would find. Returns size 0 if only the kernel can find them, or if the kernel
   * would record the lookup. */
  struct gasan_bounds (*find)(void *context, uint64_t pointer);
  void *context;
  uint32_t device;
  bool uncounted; /* the decision is for an unknown number of launches, so it is not counted */
  uint64_t epoch; /* read before the decision; while it does not change, find returns the same results */
  /* Returns whether the object that begins at base lives until the kernel has run. NULL: all objects do. */
  bool (*lasts)(void *context, uint64_t base);
};

/* WIDE has all checks, like FULL (GASAN_WIDE_PREFIX in base/proof_table.h); gasan_proof_decide never returns it. */
enum gasan_proof_variant { GASAN_VARIANT_FULL, GASAN_VARIANT_WIDE, GASAN_VARIANT_BOUNDED, GASAN_VARIANT_PROVEN };
#define GASAN_VARIANTS 4

/* Returns whether the variant may read the device's tables of bounds. */
bool gasan_proof_looks_up(const struct gasan_proof *proof, enum gasan_proof_variant variant);

/* Returns PROVEN if all claims hold, and sets `hidden` to base and size of each hidden root: 2 * hidden_count values.
 * Otherwise returns BOUNDED if the kernel has that variant, and sets `hidden` to its arguments: bounded_count values.
 * Never optimistic: returns FULL for a shape with a 0, for missing arguments, without memory, for a hidden root outside
 * of tables that is freed, wild or unknown, and for an object that may not live until the kernel has run. */
enum gasan_proof_variant gasan_proof_decide(struct gasan_proof *proof, const struct gasan_proof_launch *launch,
                                            const struct gasan_proof_lookup *lookup, uint64_t *hidden);

/* Returns the number of pointers whose bounds the decision depends on, and stores the pointers if there is room for all
 * of them. Returns 0 for an impossible launch. The decision also depends on the shape and the arguments. */
uint32_t gasan_proof_roots(const struct gasan_proof *proof, const struct gasan_proof_launch *launch, uint64_t *pointers,
                           uint32_t room);

/* Stores the addresses of the arguments that the variant, proven or bounded, has after the arguments of `full`.
 * `hidden` contains the values that gasan_proof_decide has set, and must live as long as the arguments are used.
 * Returns the number of addresses, at most the number of values. */
uint32_t gasan_proof_place_hidden(const struct gasan_proof *proof, enum gasan_proof_variant variant, uint64_t *hidden,
                                  void **arguments);

enum gasan_proof_reason {
  GASAN_PROOF_HOLDS,
  GASAN_PROOF_OUTSIDE,    /* some claimed bytes are outside the bounds */
  GASAN_PROOF_BAD_INDEX,  /* an array's index may be too large */
  GASAN_PROOF_MISALIGNED, /* an address may be less aligned than the access needs */
  GASAN_PROOF_NO_OBJECT,  /* a root is null, freed, wild or unknown */
  GASAN_PROOF_MAY_END,    /* an object may be freed before the kernel starts */
  GASAN_PROOF_TOO_MANY,   /* an object has more elements than an index can count */
  GASAN_PROOF_NOT_TRIED,  /* missing arguments, or an impossible shape */
};

/* The reason why a launch is not proven. */
struct gasan_proof_failure {
  enum gasan_proof_reason reason;
  uint32_t site;     /* of the claim; for OUTSIDE, BAD_INDEX and MISALIGNED */
  uint32_t argument; /* of the root; GASAN_PROOF_NO_ARGUMENT: the root is no argument */
  /* For OUTSIDE: the offsets in the object at which the access may begin; for BAD_INDEX: the values of the index. span
   * ~0: any. */
  uint64_t low, span;
  uint32_t width;
  uint64_t size; /* of the object; for BAD_INDEX: indices below this are in bounds */
};
#define GASAN_PROOF_NO_ARGUMENT UINT32_MAX

#define GASAN_PROOF_FAILURES 4

struct gasan_proof_failures {
  uint32_t claims; /* that do not hold; if 0, the failure is not about a claim */
  uint32_t count;  /* of the failures in `at` */
  struct gasan_proof_failure at[GASAN_PROOF_FAILURES];
};

struct gasan_proof_counts {
  uint64_t proven, partly, failed;      /* decisions for the proven, the bounded and the full variant */
  uint64_t evaluated;                   /* decisions that the cache did not have */
  struct gasan_proof_failures failures; /* of the latest launch that was not proven as a whole */
};
void gasan_proof_counts(struct gasan_proof *proof, struct gasan_proof_counts *counts);

#ifdef __cplusplus
}
#endif
#endif
