/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The launch proof's table. The compiler describes the byte offsets of a kernel's accesses from their root pointers. At
 * each launch, the host decides with this table whether the kernel's proven variant, without the checks of these
 * accesses, may run.
 *
 * The pass writes one constant blob for a module, under GASAN_PROOFS_SYMBOL, little endian and 8-byte aligned. A module
 * without proven variants has no blob. The blob begins with struct gasan_proof_table, which has the offsets of all
 * arrays, in bytes from the blob's start. Strings are as in base/sites.h.
 *
 * `full` is the kernel under its own name. It has every check and needs no hidden arguments. `proven` is the variant
 * without the checks of claimed accesses. If all claims of a kernel hold, a launch of `proven` with the hidden
 * arguments touches nothing for which `full` would have reported a claimed access. Accesses without a claim keep their
 * checks in all variants.
 *
 * If some claims do not hold, `bounded` runs, if the kernel has it, with its hidden arguments. It has all checks. It
 * makes the check of a claimed access only if the mask, its last argument, has the claim's bit. */
#ifndef GASAN_BASE_PROOF_TABLE_H
#define GASAN_BASE_PROOF_TABLE_H

#include "base/abi.h"

#define GASAN_PROOFS_SYMBOL "__gasan_proofs"
#define GASAN_PROOFS_MAGIC 0x46525047u /* "GPRF" */
/* The symbol of a variant is its prefix and the kernel's symbol. */
#define GASAN_PROVEN_PREFIX "__gasan_proven_"
#define GASAN_BOUNDED_PREFIX "__gasan_bounded_"
/* A wide variant has all registers that ptxas wants, where the kernel itself was compiled with fewer
 * (driver/registers.h). Its checks and arguments are those of `full`. No table has it, and only a GPU's binary does. */
#define GASAN_WIDE_PREFIX "__gasan_wide_"
/* A fitted variant is a proven or bounded one with fewer registers, for blocks that the latter does not fit. Its symbol
 * is this prefix and the variant's symbol. */
#define GASAN_FITTED_PREFIX "__gasan_fitted_"
/* Bits of the mask. Claim number n of a kernel has bit n; the last bit also stands for all further claims. */
#define GASAN_CLAIM_BITS 64u
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
  uint32_t loaded_offset; /* of struct gasan_loaded_header; 0: there is none */
};

/* Bits of gasan_proof_kernel.looks_up: the variant reads the device's tables of bounds. A variant without its bit may
 * be launched while these tables are out of date. */
#define GASAN_PROOF_PROVEN_LOOKS_UP 1u
#define GASAN_PROOF_BOUNDED_LOOKS_UP 2u

struct gasan_proof_kernel {
  uint32_t name;                           /* symbol, as the host registers it */
  uint32_t first_argument, argument_count; /* of `full`; `proven` also has those of the hidden entries */
  uint32_t first_claim, claim_count;
  uint32_t first_node, node_count; /* the kernel's formulas; node indices are relative to first_node */
  uint32_t first_hidden, hidden_count;
  uint32_t kept_checks; /* checks that `proven` and the functions that it calls have, too */
  /* 1: the kernel has a variant `bounded`. After the arguments of `full` it has those of the bounded roots, and the
   * mask. */
  uint32_t has_bounded;
  uint32_t first_bounded, bounded_count; /* in the array of hidden roots; those of `proven` are among them */
  uint32_t looks_up;                     /* GASAN_PROOF_PROVEN_LOOKS_UP, GASAN_PROOF_BOUNDED_LOOKS_UP */
};

struct gasan_proof_argument {
  uint32_t offset, size; /* bytes, in the kernel's parameter buffer */
  uint32_t name;         /* in the source; "": unknown */
};

/* Two hidden arguments of a variant describe a pointer among the kernel's arguments. The pointer is `offset` bytes into
 * argument number `argument`, which may be a structure passed by value.
 *
 * With width 0, the two values are the object's base and size, or 0 and 0 for a null pointer. If the pointer points to
 * freed memory, to nothing or to unknown memory, the host launches `full`, which reports or records it.
 *
 * With another width, the two values describe an array that begins `start` bytes after the pointer. Accesses of `width`
 * bytes that are aligned like the pointer are inside the object at element n if and only if n plus the first value is
 * less than the second value, as unsigned numbers of `bits` bits. n is any number of `bits` bits, signed if is_signed.
 * The first value is 0 unless is_signed.
 *
 * With bits 0, the first value is the object's base, and the second one is its limit: an access of `width` bytes, n
 * bytes from the base and aligned like the pointer, is inside the object if and only if n is less than the limit.
 *
 * A pointer that a kernel chooses among the members of a structure passed by value has a table: successive entries of
 * width 0, which are passed together in one argument, an array of bases and sizes. If such a pointer points to freed
 * memory, to nothing or to unknown memory, its size is 0, and the kernel looks it up. */
enum gasan_hidden_place {
  GASAN_HIDDEN_ALONE = 0, /* two arguments of 64 bits */
  GASAN_HIDDEN_FIRST = 1, /* the first pointer of a table */
  GASAN_HIDDEN_NEXT = 2,  /* a further one */
};

struct gasan_hidden {
  uint32_t argument, offset;
  uint32_t width;     /* bytes of an access */
  uint32_t alignment; /* of the pointer, a power of two; no element of a less aligned pointer is inside */
  uint32_t start;
  uint8_t shift;           /* an element has 2^shift bytes */
  uint8_t bits, is_signed; /* bits: 0, 32 or 64 */
  uint8_t place;           /* enum gasan_hidden_place */
};

enum gasan_claim_root {
  GASAN_ROOT_ARGUMENT = 1,       /* the pointer at argument/offset, with the bounds of its chunk */
  GASAN_ROOT_STATIC_SHARED = 2,  /* a variable of `size` bytes; offsets count from its start */
  GASAN_ROOT_DYNAMIC_SHARED = 3, /* the launch's dynamic shared memory; offsets count from its start */
  GASAN_ROOT_VARIABLE = 4,       /* a __device__ or __constant__ variable or a local of `size` bytes */
  GASAN_ROOT_INDEX = 5,          /* no memory: the node is an index or offset in an array, and good below `size` */
};

/* "Every executed access at this site touches only [root + node, root + node + width) within the root's bounds", where
 * `node` is the interval of the byte offsets. If the interval is empty, the access is never executed and the claim
 * holds. */
struct gasan_claim {
  uint8_t root; /* enum gasan_claim_root */
  /* 1: the alignment is that of each accessed address, root + node. 0: it is that of the root's address. */
  uint8_t aligns_each;
  uint16_t alignment; /* a power of two; a claim about a less aligned address does not hold */
  uint32_t argument, offset;
  uint32_t node;  /* index of a node of 64 bits */
  uint32_t width; /* bytes */
  uint32_t site;  /* index in the module's site table, of the first access that the claim covers */
  uint64_t size;  /* bytes, for a root whose size the compiler knows */
};

/* An access whose index is a number from memory: its root's offset is (number * scale + added) bytes. For reports; no
 * decision depends on it. The number was loaded by an access of a claim, `distance` bytes behind the lowest byte that
 * the claim is about. */
struct gasan_loaded {
  uint32_t kernel; /* number in the table */
  uint32_t site;
  uint32_t claim;            /* of the load; index among the kernel's claims, with root GASAN_ROOT_ARGUMENT */
  uint32_t argument, offset; /* the root pointer of the access */
  uint16_t bits;             /* of the number, as it is in memory */
  uint16_t is_signed;
  int64_t scale, added, distance; /* scale: at least 1 */
};

/* Begins an array of struct gasan_loaded, with 8 bytes of alignment. */
struct gasan_loaded_header {
  uint32_t count, reserved;
};

/* A node's value is the set of values that an integer of `bits` bits takes in any thread of the launch (for a claim: at
 * its access). The set is a contiguous interval modulo 2^bits, empty, or all values. Operands are nodes with smaller
 * indices.
 *
 * In addition, a node's value may have known low bits, if all integers have them in common. They narrow the interval.
 *
 * Values are never optimistic. If an operation's exact result is not such an interval, the value is an interval that
 * contains it; an unknown value is all values. proof/interval.h says which operations are exact.
 *
 * nsw and nuw promise nothing here: the proof evaluates overflow and never assumes that it cannot happen. Code
 * generators may compute an operation of 32 bits or less in 64 bits if it has such a promise. So where such an
 * operation may break its promise, the pass adds all values to the result (UNION with an IF).
 *
 * A result is empty if an operand is empty, with two exceptions. UNION then returns the other operand, and RECURRENCE
 * with an empty c returns a. */
enum gasan_proof_operation {
  GASAN_PROOF_CONSTANT = 1,     /* value */
  GASAN_PROOF_ARGUMENT = 2,     /* `bits` bits at byte `value` of argument number a */
  GASAN_PROOF_THREAD_INDEX = 3, /* axis a = 0..2: [0, blockDim - 1] */
  GASAN_PROOF_BLOCK_INDEX = 4,
  GASAN_PROOF_BLOCK_DIM = 5,
  GASAN_PROOF_GRID_DIM = 6,
  GASAN_PROOF_LANE = 7, /* [0, 31], or less in a smaller block */
  GASAN_PROOF_DYNAMIC_SHARED_SIZE = 8,
  /* [value, value2], known at compile time (!range, known bits); past 0 if value is greater than value2 */
  GASAN_PROOF_BETWEEN = 9,

  GASAN_PROOF_ADD = 16, /* a op b, all of `bits` bits */
  GASAN_PROOF_SUB,
  GASAN_PROOF_MUL,
  GASAN_PROOF_UDIV, /* all values if b contains 0, since a GPU continues; also for the least value by -1 */
  GASAN_PROOF_SDIV,
  GASAN_PROOF_UREM,
  GASAN_PROOF_SREM,
  GASAN_PROOF_AND,
  GASAN_PROOF_OR,
  GASAN_PROOF_XOR,
  GASAN_PROOF_SHL, /* a shift, to either side, by `bits` or more: all values */
  GASAN_PROOF_LSHR,
  GASAN_PROOF_ASHR,
  GASAN_PROOF_SMIN,
  GASAN_PROOF_SMAX,
  GASAN_PROOF_UMIN,
  GASAN_PROOF_UMAX,
  GASAN_PROOF_UNION, /* select, phi: the smallest interval that contains both */

  /* Operations on numbers of 32 or 64 bits in floating point. A node's value is that of their ordinals
   * (proof/floats.h), so GASAN_PROOF_SMIN and the like apply to them, too. */
  GASAN_PROOF_FLOAT_ADD,
  GASAN_PROOF_FLOAT_SUB,
  GASAN_PROOF_FLOAT_MUL,
  GASAN_PROOF_FLOAT_REAL_MUL, /* a product that may be rounded or not */
  GASAN_PROOF_FLOAT_DIV,

  GASAN_PROOF_SEXT = 48, /* a, of fewer bits, to `bits` */
  GASAN_PROOF_ZEXT,
  GASAN_PROOF_TRUNC,           /* a, of more bits */
  GASAN_PROOF_FLOAT_OF_BITS,   /* a number of the same bits, as it is stored */
  GASAN_PROOF_FLOAT_OF_SIGNED, /* an integer of any bits */
  GASAN_PROOF_FLOAT_OF_UNSIGNED,
  GASAN_PROOF_FLOAT_TO_SIGNED, /* towards zero; the result is an integer of any bits */
  GASAN_PROOF_FLOAT_TO_UNSIGNED,
  GASAN_PROOF_FLOAT_FLOOR, /* to an integral number of the same bits */
  GASAN_PROOF_FLOAT_CEIL,
  GASAN_PROOF_FLOAT_CHOP,   /* towards zero */
  GASAN_PROOF_FLOAT_EVEN,   /* to the nearest, or the even one of two */
  GASAN_PROOF_FLOAT_RESIZE, /* from 32 bits to 64, or back */
  GASAN_PROOF_FLOAT_SQRT,

  /* An element of an array in an argument: `bits` bits (a multiple of 8) of argument number b, at byte `value` + a. a
   * has 64 bits and is a multiple of value2. All values if the element may begin before byte `value`, or may end more
   * than c bytes behind it, or if there are more than GASAN_PROOF_MOST_ELEMENTS such elements. */
  GASAN_PROOF_ARGUMENT_ELEMENT,

  /* The values of a for which the condition "a op b" of a dominating branch is true for some value of b. */
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
  GASAN_PROOF_IF, /* a, or empty if b is empty: a condition that is not about a */

  /* A counted loop: all sums (mod 2^bits) of a value of the start a and i values of the step b, for 0 <= i <= the
   * greatest value of c (unsigned). c is the number of times that the back edge is taken. */
  GASAN_PROOF_RECURRENCE = 96,
  /* The values of a that differ from a value of c by a multiple of the greatest power of two that divides b; all values
   * of a if b may be 0. The condition "a % b == c" of a dominating branch implies it, and so does "(a & (b - 1)) == c".
   * Only low bits narrow a. */
  GASAN_PROOF_WHERE_CONGRUENT,

  /* The number of times that a loop's back edge is taken. A variable begins with a value of a. Each round adds a value
   * of b to it, and the back edge is taken if then "variable op c" is true for a value of c. The result is [0, greatest
   * number of times], always of 64 bits; a, b and c have one width. The result is all values if the variable could
   * overflow (for NE: could miss c), or if b could be 0.
   *
   * SLT needs b > 0. Let m be the greatest signed value of c - 1. The result is all values if max(a, m) + max(b)
   * overflows, else max(0, m - min(a)) / min(b). SLE, ULT and ULE are like SLT; SGT, SGE, UGT and UGE need b < 0. The
   * unsigned ones compare unsigned values, but b is always signed.
   *
   * NE with b = 1 needs max(a) < min(c), signed or unsigned; the result is max(c) - 1 - min(a). b = -1 is the mirror
   * image. Any other b needs a, b and c to be single values. Let d be (c - a) mod 2^bits, or (a - c) if b < 0. d must
   * be a multiple of |b| and not 0; the result is d / |b| - 1. */
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

#define GASAN_PROOF_MOST_ELEMENTS 64u

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
