/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Launch proof: what the compiler knows of the offsets that a kernel's accesses have from their roots, for the
 * host to decide at each launch whether the kernel's `fast` variant, which has no checks for them, may run.
 *
 * The pass writes one constant blob a module under GASAN_PROOFS_SYMBOL, little endian, 8-byte aligned; a module without
 * fast variants has none. Layout: struct gasan_proof_table, then the arrays at the offsets that it names (bytes from
 * the blob's start); strings are as in base/sites.h.
 *
 * A kernel's claims all hold => launching `fast` with the hidden arguments touches nothing that `full` (the kernel
 * under its own name, which has every check and needs nobody's help) would have reported among the claimed accesses.
 * The accesses that are claimed by nobody keep their checks in all variants.
 *
 * Some claims do not hold => `bounded`, if the kernel has it, with its hidden arguments: it has all checks, and each
 * claimed one is made only if the mask, its last argument, has the claim's bit. */
#ifndef GASAN_BASE_PROOF_H
#define GASAN_BASE_PROOF_H

#include "base/abi.h"

#define GASAN_PROOFS_SYMBOL "__gasan_proofs"
#define GASAN_PROOFS_MAGIC 0x46525047u        /* "GPRF" */
#define GASAN_PROVEN_PREFIX "__gasan_proven_" /* before the kernel's symbol: the proven variant's */
#define GASAN_BOUNDED_PREFIX "__gasan_bounded_"
/* Of a kernel that had to be compiled with fewer registers than it wants (driver/registers.h): the one with all of
 * them. Its checks and arguments are those of `full`. It is in no table, and only in a GPU's binary. */
#define GASAN_WIDE_PREFIX "__gasan_wide_"
#define GASAN_CLAIM_BITS                                                                                               \
  64u /* of the mask: claim number n of a kernel has bit n, and the last one is all further claims', too */
#define GASAN_CLAIM_BIT(n) (1ull << ((n) < GASAN_CLAIM_BITS ? (n) : GASAN_CLAIM_BITS - 1))

struct gasan_proof_table {
  uint32_t magic;
  uint32_t abi_version; /* GASAN_ABI_VERSION of the pass */
  uint32_t total_size;  /* bytes, header included */
  uint32_t kernel_count, kernels_offset;
  uint32_t argument_count, arguments_offset;
  uint32_t claim_count, claims_offset;
  uint32_t node_count, nodes_offset;
  uint32_t hidden_count, hidden_offset;
  uint32_t strings_size, strings_offset;
  uint32_t reserved;
};

/* Another variant may be launched while the device's tables are not up to date. */
#define GASAN_PROOF_PROVEN_LOOKS_UP 1u
#define GASAN_PROOF_BOUNDED_LOOKS_UP 2u

struct gasan_proof_kernel {
  uint32_t name; /* symbol, as the host registers it; the proven variant's is GASAN_PROVEN_PREFIX and it */
  uint32_t first_argument,
      argument_count; /* of `full`; `fast` has two 64-bit ones more for each hidden entry, in order */
  uint32_t first_claim, claim_count;
  uint32_t first_node, node_count; /* the kernel's program; indices in nodes and claims are relative to first_node */
  uint32_t first_hidden, hidden_count;
  uint32_t kept_checks; /* checks that are in `fast`, too */
  uint32_t has_bounded; /* 1: there is a variant `bounded`. It has base and size of each of these roots more than
                           `full`, and the mask */
  uint32_t first_bounded, bounded_count; /* in the array of hidden roots; those of `fast` are among them */
  uint32_t looks_up; /* GASAN_PROOF_PROVEN_LOOKS_UP and GASAN_PROOF_BOUNDED_LOOKS_UP: variants that read the tables of
                        bounds */
};

struct gasan_proof_argument {
  uint32_t offset, size; /* bytes, in the kernel's parameter buffer */
};

/* What a variant is told of a pointer that the kernel is given, which lies `offset` bytes into argument number
 * `argument` (structures by value), in two values. With width 0, the object's base and size; 0 and 0 for a null
 * pointer; a pointer to freed memory, to nothing or to memory that nobody knows is for `full` to report or note.
 *
 * With a width: element number n of the array that begins `start` bytes behind the pointer is good, for accesses of so
 * many bytes that are aligned as the pointer is, if and only if n plus the first value is less than the second, as
 * unsigned numbers of `bits` bits. n is any number of as many bits, signed if is_signed; else the first value is 0. */
struct gasan_hidden {
  uint32_t argument, offset;
  uint32_t width;     /* bytes of an access */
  uint32_t alignment; /* of the pointer, a power of two: where it has less, no element is good */
  uint32_t start;
  uint8_t shift; /* an element has 2^shift bytes */
  uint8_t bits, is_signed, reserved;
};

enum gasan_claim_root {
  GASAN_ROOT_ARGUMENT = 1,       /* the pointer at argument/offset: bounds of the chunk that it points to or into */
  GASAN_ROOT_STATIC_SHARED = 2,  /* a variable of `size` bytes; offsets count from its start */
  GASAN_ROOT_DYNAMIC_SHARED = 3, /* the launch's dynamic shared memory; offsets count from its start */
  GASAN_ROOT_VARIABLE = 4,       /* a __device__ or __constant__ variable or a local of `size` bytes */
};

/* "Every executed access at this site touches only [root + node, root + node + width) within the root's bounds", where
 * `node` is the interval of the byte offsets. An empty interval: the access is never executed, the claim holds. */
struct gasan_claim {
  uint16_t root;      /* enum gasan_claim_root */
  uint16_t alignment; /* of the root's address, a power of two: where it has less, the claim does not hold. 1: it does
                         not matter */
  uint32_t argument, offset;
  uint32_t node;  /* of 64 bits */
  uint32_t width; /* bytes */
  uint32_t site;  /* index in the module's site table: of the first access that it stands for */
  uint64_t size;  /* bytes, of a root whose size the compiler knows */
};

/* A node's value is the set of values that an integer of `bits` bits takes in any thread of the launch (for a claim: at
 * its access), as a contiguous interval modulo 2^bits, empty, or everything. Operands are nodes with smaller indices.
 * An operation whose exact result set is no such interval takes the smallest interval that holds it; what is unknown is
 * everything: never optimistic (proof/interval.h says which operations are exact). nsw/nuw promise nothing here: a
 * program's overflow is evaluated, not assumed away; and where one of 32 bits or less may break such a promise, the
 * pass adds everything to it (UNION with an IF), since code generators may compute it in 64. The result is empty if an
 * operand is, but for UNION (then it is the other one), and for RECURRENCE with an empty c (then it is a). */
enum gasan_proof_operation {
  GASAN_PROOF_CONSTANT = 1,     /* value */
  GASAN_PROOF_ARGUMENT = 2,     /* `bits` bits at byte `value` of argument number a */
  GASAN_PROOF_THREAD_INDEX = 3, /* axis a = 0..2: [0, blockDim - 1] */
  GASAN_PROOF_BLOCK_INDEX = 4,
  GASAN_PROOF_BLOCK_DIM = 5,
  GASAN_PROOF_GRID_DIM = 6,
  GASAN_PROOF_LANE = 7, /* [0, 31], or less in a smaller block */
  GASAN_PROOF_DYNAMIC_SHARED_SIZE = 8,
  GASAN_PROOF_BETWEEN =
      9, /* [value, value2], past 0 if value is the greater: known at compile time (!range, known bits) */

  GASAN_PROOF_ADD = 16, /* a op b, all of `bits` bits */
  GASAN_PROOF_SUB,
  GASAN_PROOF_MUL,
  GASAN_PROOF_UDIV, /* by an interval that holds 0: everything, since a GPU goes on; of the least value by -1 as well */
  GASAN_PROOF_SDIV,
  GASAN_PROOF_UREM,
  GASAN_PROOF_SREM,
  GASAN_PROOF_AND,
  GASAN_PROOF_OR,
  GASAN_PROOF_XOR,
  GASAN_PROOF_SHL, /* a shift, to either side, by `bits` or more: everything */
  GASAN_PROOF_LSHR,
  GASAN_PROOF_ASHR,
  GASAN_PROOF_SMIN,
  GASAN_PROOF_SMAX,
  GASAN_PROOF_UMIN,
  GASAN_PROOF_UMAX,
  GASAN_PROOF_UNION, /* select, phi: the smallest interval that holds both */

  GASAN_PROOF_SEXT = 48, /* a, of fewer bits, to `bits` */
  GASAN_PROOF_ZEXT,
  GASAN_PROOF_TRUNC, /* a, of more bits */

  /* The values of a for which the guard "a op b" is true for some value of b: what a dominating branch lets through. */
  GASAN_PROOF_WHERE_EQ = 64,
  GASAN_PROOF_WHERE_NE,
  GASAN_PROOF_WHERE_SLT,
  GASAN_PROOF_WHERE_SLE,
  GASAN_PROOF_WHERE_SGT,
  GASAN_PROOF_WHERE_SGE,
  GASAN_PROOF_WHERE_ULT,
  GASAN_PROOF_WHERE_ULE,
  GASAN_PROOF_WHERE_UGT,
  GASAN_PROOF_WHERE_UGE,
  GASAN_PROOF_IF, /* a, or empty if b is: a guard that is no condition on a */

  /* a counted loop: all sums of a value of start a and i values of step b (mod 2^bits), for 0 <= i <= the largest value
   * of c (unsigned): c is how often the back edge is taken */
  GASAN_PROOF_RECURRENCE = 96,

  /* How often a loop goes round: a variable begins with a value of a; a value of b is added to it, and if then "it op
   * c" is true for a value of c, that was one more time, and so on. [0, the greatest number of times], always of 64
   * bits; a, b and c are of one width. Everything, if the variable could overflow (be equal to c never, for NE) or b be
   * 0: SLT with b > 0, m the greatest signed value of c - 1: everything if max(a, m) + max(b) overflows, else max(0, m
   * - min(a)) / min(b). ULT and the like count unsigned, b is signed always; SGT and the like need b < 0, SLT and the
   * like b > 0. NE with b = 1: needs max(a) < min(c), signed or unsigned, then max(c) - 1 - min(a); b = -1 likewise;
   * other b, if a, b and c are one value each: d = (c - a) mod 2^bits, for b < 0 (a - c), has to be a multiple of |b|
   * and not 0, then d / |b| - 1. */
  GASAN_PROOF_TIMES_NE = 112,
  GASAN_PROOF_TIMES_SLT,
  GASAN_PROOF_TIMES_SLE,
  GASAN_PROOF_TIMES_SGT,
  GASAN_PROOF_TIMES_SGE,
  GASAN_PROOF_TIMES_ULT,
  GASAN_PROOF_TIMES_ULE,
  GASAN_PROOF_TIMES_UGT,
  GASAN_PROOF_TIMES_UGE,
};

struct gasan_proof_node {
  uint8_t operation; /* enum gasan_proof_operation */
  uint8_t bits;      /* 1..64 */
  uint16_t reserved;
  uint32_t a, b, c;
  uint64_t value, value2;
};

#ifndef GASAN_DEVICE_CODE
#ifdef __cplusplus
static_assert(sizeof(struct gasan_proof_node) == 32 && sizeof(struct gasan_claim) == 32 &&
                  sizeof(struct gasan_hidden) == 24,
              "pass and runtime agree on this layout");
#else
_Static_assert(sizeof(struct gasan_proof_node) == 32 && sizeof(struct gasan_claim) == 32 &&
                   sizeof(struct gasan_hidden) == 24,
               "pass and runtime agree on this layout");
#endif
#endif
#endif
