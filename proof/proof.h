/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Launch proofs on the host (base/proof.h is what the compiler wrote): reading a module's table, and deciding for
 * a launch whether all that its kernel claims holds, so that the variant without those checks may run.
 *
 * Any thread; a kernel has a lock for its decisions. No function calls a device. */
#ifndef GASAN_PROOF_PROOF_H
#define GASAN_PROOF_PROOF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/proof.h"
#include "shadow/bounds.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gasan_proofs; /* of a module */
struct gasan_proof;  /* of a kernel */

/* Copies the blob; every index in it is checked here, once. NULL: it is no table of this version, or damaged, and *why
 * (never empty, truncated to size) says what is wrong; or there is no memory. */
struct gasan_proofs *gasan_proofs_parse(const void *blob, size_t size, char *why, size_t why_size);
void gasan_proofs_free(struct gasan_proofs *proofs);

/* NULL: the kernel has no proven variant. Lives as long as the table. */
struct gasan_proof *gasan_proofs_kernel(struct gasan_proofs *proofs, const char *symbol);
/* Visits all kernels that the table has. */
void gasan_proofs_each(struct gasan_proofs *proofs, void (*visit)(struct gasan_proof *proof, void *context),
                       void *context);

const char *gasan_proof_name(const struct gasan_proof *proof);
uint32_t gasan_proof_argument_count(const struct gasan_proof *proof); /* of `full` */
uint32_t gasan_proof_hidden_count(const struct gasan_proof *proof);
/* 64-bit arguments that the bounded variant has more than `full`; 0: there is no such variant. */
uint32_t gasan_proof_bounded_count(const struct gasan_proof *proof);
uint32_t gasan_proof_claim_count(const struct gasan_proof *proof);

struct gasan_proof_launch {
  uint32_t grid[3], block[3];
  uint64_t dynamic_shared;
  void *const *arguments; /* as for cudaLaunchKernel */
};

/* How the bounds of a pointer are found that a kernel of this device gets: as the kernel would find them, but with size
 * 0 for what only the kernel can tell, and what it notes. */
struct gasan_proof_lookup {
  struct gasan_bounds (*find)(void *context, uint64_t pointer);
  void *context;
  uint32_t device;
  bool uncounted; /* it is not known how many launches the decision is for */
  uint64_t epoch; /* read before: as long as it is the same, so is what find returns */
  bool (*lasts)(void *context,
                uint64_t base); /* does the object that begins there live until the kernel has run? NULL: all do */
};

/* Wide has all checks, like full (GASAN_WIDE_PREFIX in base/proof.h): nothing is decided to be that here. */
enum gasan_proof_variant { GASAN_VARIANT_FULL, GASAN_VARIANT_WIDE, GASAN_VARIANT_BOUNDED, GASAN_VARIANT_PROVEN };
#define GASAN_VARIANTS 4

/* May the variant read the device's tables of bounds? */
bool gasan_proof_looks_up(const struct gasan_proof *proof, enum gasan_proof_variant variant);

/* Do all claims hold? Then it is fast, and *hidden has base and size of each of its hidden roots, 2 * hidden_count
 * values. Else bounded, if there is one: *hidden has its arguments, bounded_count values. Never optimistic: a shape
 * with 0, missing arguments, no memory, a hidden root that is freed, wild or unknown, an object that may end: full. */
enum gasan_proof_variant gasan_proof_decide(struct gasan_proof *proof, const struct gasan_proof_launch *launch,
                                            const struct gasan_proof_lookup *lookup, uint64_t *hidden);

/* The pointers whose bounds the decision depends on, besides the shape and the arguments; a launch that is not possible
 * has none. Returns how many there are, and writes them if they are at most `room`. */
uint32_t gasan_proof_roots(const struct gasan_proof *proof, const struct gasan_proof_launch *launch, uint64_t *pointers,
                           uint32_t room);

enum gasan_proof_reason {
  GASAN_PROOF_HOLDS,
  GASAN_PROOF_OUTSIDE,    /* the claimed bytes are not all within the bounds */
  GASAN_PROOF_MISALIGNED, /* the root is no multiple of what the access needs */
  GASAN_PROOF_NO_OBJECT,  /* a root is null, freed, wild or unknown */
  GASAN_PROOF_MAY_END,    /* an object may be freed before the kernel starts */
  GASAN_PROOF_TOO_MANY,   /* an object has more elements than indices tell apart */
  GASAN_PROOF_NOT_TRIED,  /* no memory, no arguments, or a shape that no launch can have */
};

/* What stands in the way of a launch. */
struct gasan_proof_failure {
  enum gasan_proof_reason reason;
  uint32_t site;      /* of the claim; OUTSIDE and MISALIGNED */
  uint32_t argument;  /* the root's, GASAN_PROOF_NO_ARGUMENT: it is none */
  uint64_t low, span; /* OUTSIDE: the offsets from the object's start where the access may begin; span ~0: any */
  uint32_t width;
  uint64_t size; /* the object's */
};
#define GASAN_PROOF_NO_ARGUMENT UINT32_MAX

#define GASAN_PROOF_FAILURES 4

struct gasan_proof_failures {
  uint32_t claims; /* that do not hold; 0 with a failure: something else is in the way */
  uint32_t count;  /* of those that are described */
  struct gasan_proof_failure at[GASAN_PROOF_FAILURES];
};

struct gasan_proof_counts {
  uint64_t held, partly, failed,
      evaluated; /* decisions for fast, bounded, full; `evaluated`: those that no earlier one answered */
  struct gasan_proof_failures failures; /* of the latest launch that was not proven as a whole */
};
void gasan_proof_counts(struct gasan_proof *proof, struct gasan_proof_counts *counts);

#ifdef __cplusplus
}
#endif
#endif
