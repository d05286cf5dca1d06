/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parses a module's table. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proof/kernel_claims.h"

struct gasan_proofs {
  const struct gasan_proof_table *header;
  const struct gasan_proof_kernel *kernels;
  const struct gasan_proof_argument *arguments;
  const struct gasan_claim *claims;
  const struct gasan_proof_node *nodes;
  const struct gasan_hidden *hidden;
  const char *strings;
  const struct gasan_loaded *loaded;
  uint32_t loaded_count;
  struct gasan_proof *proofs;
  uint32_t proof_count; /* of the kernels read so far */
  _Alignas(8) unsigned char blob[];
};

struct complaint {
  char *text;
  size_t size;
};

static bool set_reason(struct complaint why, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool set_reason(struct complaint why, const char *format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(why.text, why.size, format, values);
  va_end(values);
  return false;
}

static bool array_fits(uint32_t total, uint32_t offset, uint64_t count, size_t element, size_t alignment) {
  return offset % alignment == 0 && offset <= total && count <= (total - offset) / element;
}

#define FITS(array, count, type) array_fits(total, table->array##_offset, table->count, sizeof(type), _Alignof(type))

static bool header_fits(const struct gasan_proof_table *table, size_t size, struct complaint why) {
  if (size < sizeof *table || table->magic != GASAN_PROOFS_MAGIC)
    return set_reason(why, "it is no table of proofs");
  if (table->abi_version != GASAN_ABI_VERSION)
    return set_reason(why, "it was written by another version of gasan (%u, this one is %u)", table->abi_version,
                      GASAN_ABI_VERSION);
  uint32_t total = table->total_size;
  if (total > size)
    return set_reason(why, "it is cut off: %u bytes of %u", (unsigned)size, total);
  if (!FITS(kernels, kernel_count, struct gasan_proof_kernel) ||
      !FITS(arguments, argument_count, struct gasan_proof_argument) || !FITS(claims, claim_count, struct gasan_claim) ||
      !FITS(nodes, node_count, struct gasan_proof_node) || !FITS(hidden, hidden_count, struct gasan_hidden) ||
      table->strings_offset > total || table->strings_size > total - table->strings_offset)
    return set_reason(why, "an array of it lies outside of it");
  return true;
}

#undef FITS

/* Finds the indices from memory. Returns false if they lie outside of the table. */
static bool find_loaded(struct gasan_proofs *proofs) {
  const struct gasan_proof_table *table = proofs->header;
  struct gasan_loaded_header header;
  const uint32_t offset = table->loaded_offset;
  if (!offset)
    return true;
  if (offset % 8 || offset > table->total_size || table->total_size - offset < sizeof header)
    return false;
  memcpy(&header, proofs->blob + offset, sizeof header);
  proofs->loaded = (const void *)(proofs->blob + offset + sizeof header);
  proofs->loaded_count = header.count;
  return header.count <= (table->total_size - offset - sizeof header) / sizeof *proofs->loaded;
}

static bool part_fits(uint32_t first, uint32_t count, uint32_t all) {
  return first <= all && count <= all - first;
}

/* Returns whether the kernel's argument has 8 bytes at this offset. */
static bool is_pointer(const struct gasan_proof_argument *arguments, uint32_t argument_count, uint32_t argument,
                       uint32_t offset) {
  return argument < argument_count && arguments[argument].size >= 8 && offset <= arguments[argument].size - 8;
}

static const char *claim_error(const struct gasan_claim *claim, const struct gasan_proof_node *nodes,
                               uint32_t node_count, const struct gasan_proof_argument *arguments,
                               uint32_t argument_count) {
  if (claim->node >= node_count)
    return "a node that is not the kernel's";
  if (nodes[claim->node].bits != 64)
    return "an offset that does not have 64 bits";
  if (claim->alignment & (claim->alignment - 1))
    return "an alignment that is no power of two";
  switch (claim->root) {
  case GASAN_ROOT_ARGUMENT:
    return is_pointer(arguments, argument_count, claim->argument, claim->offset)
               ? NULL
               : "a pointer that is not in the arguments";
  case GASAN_ROOT_STATIC_SHARED:
  case GASAN_ROOT_DYNAMIC_SHARED:
  case GASAN_ROOT_VARIABLE:
  case GASAN_ROOT_INDEX:
    return NULL;
  }
  return "a root that this version does not know";
}

/* Returns the index of the input; adds the input if it is new. A shorter input at the same offset is enlarged. */
static uint32_t find_input(struct gasan_proof_input *inputs, uint32_t *count, uint32_t argument, uint32_t offset,
                           uint32_t size) {
  uint32_t i = 0;
  while (i < *count && (inputs[i].argument != argument || inputs[i].offset != offset))
    i++;
  if (i == *count)
    inputs[(*count)++] = (struct gasan_proof_input){argument, offset, size};
  if (inputs[i].size < size)
    inputs[i].size = size;
  return i;
}

static void collect_inputs(struct gasan_proof *proof) {
  for (uint32_t i = 0; i < proof->node_count; i++) {
    const struct gasan_proof_node *node = &proof->nodes[i];
    if (node->operation == GASAN_PROOF_ARGUMENT)
      find_input(proof->inputs, &proof->input_count, node->a, (uint32_t)node->value, (node->bits + 7u) / 8);
    for (uint32_t at = 0; node->operation == GASAN_PROOF_ARGUMENT_ELEMENT && at < node->c; at += 8)
      find_input(proof->inputs, &proof->input_count, node->b, (uint32_t)node->value + at,
                 node->c - at < 8 ? node->c - at : 8);
  }
}

/* Returns the greatest number of inputs that the nodes may have. */
static uint64_t most_inputs(const struct gasan_proof *proof) {
  uint64_t count = proof->node_count;
  for (uint32_t i = 0; i < proof->node_count; i++)
    if (proof->nodes[i].operation == GASAN_PROOF_ARGUMENT_ELEMENT)
      count += proof->nodes[i].c / 8;
  return count;
}

static void collect_roots(struct gasan_proof *proof) {
  for (uint32_t i = 0; i < proof->claim_count; i++) {
    const struct gasan_claim *claim = &proof->claims[i];
    proof->claim_roots[i] = GASAN_PROOF_NO_ARGUMENT;
    if (claim->root == GASAN_ROOT_ARGUMENT)
      proof->claim_roots[i] = find_input(proof->roots, &proof->root_count, claim->argument, claim->offset, 8);
  }
  for (uint32_t i = 0; i < proof->hidden_count; i++)
    proof->hidden_roots[i] =
        find_input(proof->roots, &proof->root_count, proof->hidden[i].argument, proof->hidden[i].offset, 8);
  for (uint32_t i = 0; i < proof->bounded_count; i++)
    proof->bounded_roots[i] =
        find_input(proof->roots, &proof->root_count, proof->bounded[i].argument, proof->bounded[i].offset, 8);
}

static void collect_shown(struct gasan_proof *proof) {
  for (uint32_t i = 0; i < proof->loaded_count; i++)
    if (proof->loaded[i].kernel == proof->number)
      find_input(proof->shown, &proof->shown_count, proof->loaded[i].argument, proof->loaded[i].offset, 8);
}

static void *zeroed_array(uint32_t count, size_t element) {
  return calloc(count + 1u, element);
}

static void free_proof(struct gasan_proof *proof) {
  gasan_proof_cache_free(proof->cache);
  free(proof->inputs);
  free(proof->roots);
  free(proof->shown);
  free(proof->claim_roots);
  free(proof->hidden_roots);
  free(proof->bounded_roots);
  free(proof->values);
  free(proof->bounds);
}

static const char *hidden_error(const struct gasan_hidden *all, uint32_t index,
                                const struct gasan_proof_argument *arguments, uint32_t argument_count) {
  const struct gasan_hidden *hidden = &all[index];
  if (hidden->place > GASAN_HIDDEN_NEXT || (hidden->place != GASAN_HIDDEN_ALONE && hidden->width) ||
      (hidden->place == GASAN_HIDDEN_NEXT && (!index || all[index - 1].place == GASAN_HIDDEN_ALONE)))
    return "an impossible place in a table";
  if (!is_pointer(arguments, argument_count, hidden->argument, hidden->offset))
    return "a pointer that is not in the arguments";
  if (hidden->width && (hidden->shift > 32 || (hidden->bits && hidden->bits != 32 && hidden->bits != 64) ||
                        !hidden->alignment || hidden->alignment & (hidden->alignment - 1)))
    return "an impossible description of elements";
  return NULL;
}

static bool kernel_fits(const struct gasan_proof_table *header, const struct gasan_proof_kernel *kernel) {
  return kernel->name < header->strings_size &&
         part_fits(kernel->first_argument, kernel->argument_count, header->argument_count) &&
         part_fits(kernel->first_claim, kernel->claim_count, header->claim_count) &&
         part_fits(kernel->first_node, kernel->node_count, header->node_count) &&
         part_fits(kernel->first_hidden, kernel->hidden_count, header->hidden_count) &&
         part_fits(kernel->first_bounded, kernel->bounded_count, header->hidden_count);
}

static const char *loaded_error(const struct gasan_proof *proof, const struct gasan_loaded *loaded) {
  if (loaded->claim >= proof->claim_count || proof->claims[loaded->claim].root != GASAN_ROOT_ARGUMENT)
    return "a claim that is not about a load";
  if (!is_pointer(proof->arguments, proof->argument_count, loaded->argument, loaded->offset))
    return "a pointer that is not in the arguments";
  return loaded->scale < 1 || !loaded->bits || loaded->bits > 64 ? "an impossible number" : NULL;
}

/* Checks the kernel's arguments, nodes, claims and hidden arguments. */
static bool check_kernel(const struct gasan_proof *proof, uint32_t strings_size, struct complaint why) {
  const struct gasan_proof_argument *arguments = proof->arguments;
  const char *error;
  for (uint32_t i = 0; i < proof->argument_count; i++)
    if (arguments[i].name >= strings_size)
      return set_reason(why, "kernel %s, argument %u: a name that is not in the table", proof->name, i);
  for (uint32_t i = 0; i < proof->node_count; i++)
    if ((error = gasan_proof_node_error(proof->nodes, i, arguments, proof->argument_count)))
      return set_reason(why, "kernel %s, node %u: %s", proof->name, i, error);
  for (uint32_t i = 0; i < proof->claim_count; i++)
    if ((error = claim_error(&proof->claims[i], proof->nodes, proof->node_count, arguments, proof->argument_count)))
      return set_reason(why, "kernel %s, claim %u: %s", proof->name, i, error);
  for (uint32_t i = 0; i < proof->hidden_count; i++)
    if ((error = hidden_error(proof->hidden, i, arguments, proof->argument_count)))
      return set_reason(why, "kernel %s, hidden root %u: %s", proof->name, i, error);
  for (uint32_t i = 0; i < proof->bounded_count; i++)
    if ((error = hidden_error(proof->bounded, i, arguments, proof->argument_count)))
      return set_reason(why, "kernel %s, bounded root %u: %s", proof->name, i, error);
  for (uint32_t i = 0; i < proof->loaded_count; i++)
    if (proof->loaded[i].kernel == proof->number && (error = loaded_error(proof, &proof->loaded[i])))
      return set_reason(why, "kernel %s, index %u from memory: %s", proof->name, i, error);
  return true;
}

/* Returns false if there is no memory; free_proof then frees the arrays. */
static bool allocate_arrays(struct gasan_proof *proof) {
  uint32_t most_roots = proof->claim_count + proof->hidden_count + proof->bounded_count;
  proof->inputs = zeroed_array(most_inputs(proof), sizeof *proof->inputs);
  proof->roots = zeroed_array(most_roots, sizeof *proof->roots);
  proof->shown = zeroed_array(proof->loaded_count, sizeof *proof->shown);
  proof->claim_roots = zeroed_array(proof->claim_count, sizeof *proof->claim_roots);
  proof->hidden_roots = zeroed_array(proof->hidden_count, sizeof *proof->hidden_roots);
  proof->bounded_roots = zeroed_array(proof->bounded_count, sizeof *proof->bounded_roots);
  proof->values = zeroed_array(proof->node_count, sizeof *proof->values);
  proof->bounds = zeroed_array(most_roots, sizeof *proof->bounds);
  return proof->inputs && proof->roots && proof->shown && proof->claim_roots && proof->hidden_roots &&
         proof->bounded_roots && proof->values && proof->bounds;
}

static bool read_kernel(struct gasan_proofs *proofs, const struct gasan_proof_kernel *kernel, struct complaint why) {
  if (!kernel_fits(proofs->header, kernel))
    return set_reason(why, "its kernel number %u points outside of it", (unsigned)(kernel - proofs->kernels));
  struct gasan_proof *proof = &proofs->proofs[proofs->proof_count];
  *proof = (struct gasan_proof){.name = proofs->strings + kernel->name,
                                .strings = proofs->strings,
                                .arguments = proofs->arguments + kernel->first_argument,
                                .argument_count = kernel->argument_count,
                                .node_count = kernel->node_count,
                                .claim_count = kernel->claim_count,
                                .hidden_count = kernel->hidden_count,
                                .bounded_count = kernel->bounded_count,
                                .kept_checks = kernel->kept_checks,
                                .has_bounded = kernel->has_bounded != 0,
                                .looks_up = kernel->looks_up,
                                .nodes = proofs->nodes + kernel->first_node,
                                .claims = proofs->claims + kernel->first_claim,
                                .hidden = proofs->hidden + kernel->first_hidden,
                                .bounded = proofs->hidden + kernel->first_bounded,
                                .loaded = proofs->loaded,
                                .loaded_count = proofs->loaded_count,
                                .number = (uint32_t)(kernel - proofs->kernels),
                                .lock = PTHREAD_MUTEX_INITIALIZER};
  if (!check_kernel(proof, proofs->header->strings_size, why))
    return false;
  if (!allocate_arrays(proof)) {
    free_proof(proof);
    return set_reason(why, "there is no memory for it");
  }
  collect_inputs(proof);
  collect_roots(proof);
  collect_shown(proof);
  proofs->proof_count++;
  return true;
}

static bool read_kernels(struct gasan_proofs *proofs, struct complaint why) {
  proofs->proofs = zeroed_array(proofs->header->kernel_count, sizeof *proofs->proofs);
  if (!proofs->proofs)
    return set_reason(why, "there is no memory for it");
  for (uint32_t i = 0; i < proofs->header->kernel_count; i++)
    if (!read_kernel(proofs, &proofs->kernels[i], why))
      return false;
  return true;
}

struct gasan_proofs *gasan_proofs_parse(const void *blob, size_t size, char *text, size_t text_size) {
  struct complaint why = {text, text_size};
  struct gasan_proofs *proofs = malloc(sizeof *proofs + size + 1);
  if (!proofs) {
    set_reason(why, "there is no memory for it");
    return NULL;
  }
  memcpy(proofs->blob, blob, size);
  proofs->blob[size] = 0;
  const struct gasan_proof_table *table = (const void *)proofs->blob;
  proofs->header = table;
  proofs->proofs = NULL;
  proofs->proof_count = 0;
  if (!header_fits(table, size, why)) {
    free(proofs);
    return NULL;
  }
  proofs->kernels = (const void *)(proofs->blob + table->kernels_offset);
  proofs->arguments = (const void *)(proofs->blob + table->arguments_offset);
  proofs->claims = (const void *)(proofs->blob + table->claims_offset);
  proofs->nodes = (const void *)(proofs->blob + table->nodes_offset);
  proofs->hidden = (const void *)(proofs->blob + table->hidden_offset);
  proofs->strings = (const char *)proofs->blob + table->strings_offset;
  proofs->loaded = NULL;
  proofs->loaded_count = 0;
  if (table->strings_size)
    proofs->blob[table->strings_offset + table->strings_size - 1] = 0;
  if (!find_loaded(proofs))
    set_reason(why, "its indices from memory lie outside of it");
  else if (read_kernels(proofs, why))
    return proofs;
  gasan_proofs_free(proofs);
  return NULL;
}

void gasan_proofs_free(struct gasan_proofs *proofs) {
  if (!proofs)
    return;
  for (uint32_t i = 0; i < proofs->proof_count; i++) {
    free_proof(&proofs->proofs[i]);
    pthread_mutex_destroy(&proofs->proofs[i].lock);
  }
  free(proofs->proofs);
  free(proofs);
}

struct gasan_proof *gasan_proofs_kernel(struct gasan_proofs *proofs, const char *symbol) {
  for (uint32_t i = 0; i < proofs->proof_count; i++)
    if (strcmp(proofs->proofs[i].name, symbol) == 0)
      return &proofs->proofs[i];
  return NULL;
}

void gasan_proofs_each(struct gasan_proofs *proofs, void (*visit)(struct gasan_proof *proof, void *context),
                       void *context) {
  for (uint32_t i = 0; i < proofs->proof_count; i++)
    visit(&proofs->proofs[i], context);
}

const char *gasan_proof_name(const struct gasan_proof *proof) {
  return proof->name;
}

uint32_t gasan_proof_argument_count(const struct gasan_proof *proof) {
  return proof->argument_count;
}

uint32_t gasan_proof_hidden_count(const struct gasan_proof *proof) {
  return proof->hidden_count;
}

uint32_t gasan_proof_bounded_count(const struct gasan_proof *proof) {
  return proof->has_bounded ? 2 * proof->bounded_count + 1 : 0;
}

uint32_t gasan_proof_place_hidden(const struct gasan_proof *proof, enum gasan_proof_variant variant, uint64_t *hidden,
                                  void **arguments) {
  bool is_proven = variant == GASAN_VARIANT_PROVEN;
  const struct gasan_hidden *entries = is_proven ? proof->hidden : proof->bounded;
  uint32_t count = is_proven ? proof->hidden_count : proof->bounded_count, placed = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (entries[i].place != GASAN_HIDDEN_NEXT)
      arguments[placed++] = &hidden[2 * i];
    if (entries[i].place == GASAN_HIDDEN_ALONE)
      arguments[placed++] = &hidden[2 * i + 1];
  }
  if (!is_proven)
    arguments[placed++] = &hidden[2 * count];
  return placed;
}

uint32_t gasan_proof_kept_checks(const struct gasan_proof *proof) {
  return proof ? proof->kept_checks : 0;
}

bool gasan_proof_looks_up(const struct gasan_proof *proof, enum gasan_proof_variant variant) {
  static const uint32_t bits[GASAN_VARIANTS] = {[GASAN_VARIANT_BOUNDED] = GASAN_PROOF_BOUNDED_LOOKS_UP,
                                                [GASAN_VARIANT_PROVEN] = GASAN_PROOF_PROVEN_LOOKS_UP};
  return !bits[variant] || proof->looks_up & bits[variant];
}

uint32_t gasan_proof_claim_count(const struct gasan_proof *proof) {
  return proof->claim_count;
}
