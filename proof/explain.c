/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "proof/explain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proof/formula_text.h"

static uint32_t count_values(const struct gasan_proof *proof) {
  return proof->input_count + proof->root_count + proof->shown_count;
}

/* Returns the bytes of the arguments that a copied value has. */
static const struct gasan_proof_input *bytes_of(const struct gasan_proof *proof, uint32_t number) {
  if (number < proof->input_count)
    return &proof->inputs[number];
  number -= proof->input_count;
  return number < proof->root_count ? &proof->roots[number] : &proof->shown[number - proof->root_count];
}

uint32_t gasan_proof_copy_inputs(const struct gasan_proof *proof, const struct gasan_proof_launch *launch,
                                 uint64_t *values) {
  const uint32_t count = count_values(proof);
  if (!proof->claim_count || !launch->arguments || count > GASAN_PROOF_INPUTS)
    return 0;
  for (uint32_t i = 0; i < count; i++)
    values[i] = gasan_proof_read(launch, bytes_of(proof, i));
  return count;
}

bool gasan_proof_explains_proven(const struct gasan_proof *proof) {
  return proof->shown_count != 0;
}

/* The arguments of a launch, made again of the copied values. */
struct arguments {
  void **pointers;
  unsigned char *bytes;
};

static void free_arguments(struct arguments *arguments) {
  free(arguments->pointers);
  free(arguments->bytes);
}

static bool make_arguments(const struct gasan_proof *proof, const uint64_t *values, struct arguments *arguments) {
  uint64_t size = 0;
  for (uint32_t i = 0; i < proof->argument_count; i++)
    size = proof->arguments[i].offset + proof->arguments[i].size > size
               ? (uint64_t)proof->arguments[i].offset + proof->arguments[i].size
               : size;
  arguments->bytes = calloc(size + 8, 1);
  arguments->pointers = calloc(proof->argument_count + 1u, sizeof *arguments->pointers);
  if (!arguments->bytes || !arguments->pointers)
    return false;
  for (uint32_t i = 0; i < proof->argument_count; i++)
    arguments->pointers[i] = arguments->bytes + proof->arguments[i].offset;
  for (uint32_t i = 0; i < count_values(proof); i++) {
    const struct gasan_proof_input *input = bytes_of(proof, i);
    memcpy((char *)arguments->pointers[input->argument] + input->offset, &values[i], input->size);
  }
  return true;
}

/* One question: an access, and a claim that may be about it. */
struct question {
  const struct gasan_proof *proof;
  struct gasan_proof_launch launch;
  const struct gasan_proof_access *access;
  const struct gasan_claim *claim;
  struct gasan_proof_value *values;
};

static uint64_t pointer_of(const struct question *question) {
  const struct gasan_claim *claim = question->claim;
  if (claim->root != GASAN_ROOT_ARGUMENT)
    return question->access->base;
  const struct gasan_proof_input input = {claim->argument, claim->offset, 8};
  return gasan_proof_read(&question->launch, &input);
}

static void evaluate(struct question *question, const struct gasan_proof_thread *thread) {
  question->launch.thread = thread;
  gasan_proof_evaluate(question->proof->nodes, question->proof->node_count, &question->launch, question->values);
}

/* Finds the offset that the device has recorded. Returns false if the claim's formula does not give it. */
static bool find_offset(const struct question *question, uint64_t *offset) {
  const struct gasan_claim *claim = question->claim;
  const struct gasan_interval *interval = &question->values[claim->node].interval;
  if (claim->root == GASAN_ROOT_INDEX) { /* the address says nothing about the index */
    *offset = interval->low;
    return !interval->empty && !interval->span && interval->low >= claim->size;
  }
  *offset = question->access->address - pointer_of(question);
  if (interval->empty || *offset - interval->low > interval->span + (claim->width - 1))
    return false;
  if (!interval->span)
    *offset = interval->low; /* a claim may be about several accesses side by side */
  return gasan_interval_holds(*interval, *offset);
}

/* The index that an offset is made of: offset = (value of node + added) * scale. */
struct index {
  uint32_t node;
  int64_t added, scale;
};

/* Finds the constant among the operands of an operation, and the other operand. */
static bool constant_operand(const struct gasan_formula *formula, uint32_t number, uint32_t *other, int64_t *constant) {
  const struct gasan_proof_node *nodes = formula->proof->nodes, *node = &nodes[number];
  bool is_unsigned;
  const uint32_t a = gasan_formula_skip(formula, node->a, &is_unsigned);
  const uint32_t b = gasan_formula_skip(formula, node->b, &is_unsigned);
  const bool is_first = nodes[a].operation == GASAN_PROOF_CONSTANT;
  const struct gasan_proof_node *which = &nodes[is_first ? a : b];
  *other = is_first ? node->b : node->a;
  *constant = (int64_t)which->value;
  return which->operation == GASAN_PROOF_CONSTANT && which->bits == 64;
}

static struct index find_index(const struct gasan_formula *formula, uint32_t node) {
  const struct gasan_proof_node *nodes = formula->proof->nodes;
  bool is_unsigned;
  uint32_t other;
  int64_t constant, added = 0;
  struct index index = {.node = gasan_formula_skip(formula, node, &is_unsigned), .scale = 1};
  while (nodes[index.node].operation == GASAN_PROOF_ADD && constant_operand(formula, index.node, &other, &constant)) {
    added += constant;
    index.node = gasan_formula_skip(formula, other, &is_unsigned);
  }
  if (nodes[index.node].operation == GASAN_PROOF_MUL && constant_operand(formula, index.node, &other, &constant) &&
      constant > 0) {
    index.scale = constant;
    index.node = other;
  } else if (nodes[index.node].operation == GASAN_PROOF_SHL &&
             nodes[nodes[index.node].b].operation == GASAN_PROOF_CONSTANT && nodes[nodes[index.node].b].value < 32) {
    index.scale = 1ll << nodes[nodes[index.node].b].value;
    index.node = nodes[index.node].a;
  }
  if (added % index.scale)
    return (struct index){.node = gasan_formula_skip(formula, node, &is_unsigned), .scale = 1};
  index.added = added / index.scale;
  return index;
}

/* Finds the value of the one variable of a loop in the formula, from the value of the whole. */
static bool solve_loop(struct gasan_formula *formula, uint32_t node, int64_t wanted) {
  uint32_t count;
  bool first, second;
  const uint32_t loop = gasan_formula_find_loop(formula, node, &count);
  if (!count)
    return true;
  if (count != 1)
    return false;
  formula->loop = loop;
  formula->loop_value = 0;
  const __int128 without = gasan_formula_exact(formula, node, &first);
  formula->loop_value = 1;
  const __int128 factor = gasan_formula_exact(formula, node, &second) - without;
  if (!first || !second || factor == 0 || (wanted - without) % factor != 0)
    return false;
  const __int128 value = (wanted - without) / factor;
  formula->loop_value = (uint64_t)(int64_t)value;
  const uint32_t bits = formula->proof->nodes[loop].bits;
  const uint64_t stored = bits == 64 ? formula->loop_value : formula->loop_value & ((1ull << bits) - 1);
  return value == (int64_t)value && gasan_interval_holds(formula->values[loop].interval, stored);
}

static struct gasan_proof_fact *add_fact(struct gasan_proof_explanation *explanation) {
  return explanation->count < GASAN_PROOF_FACTS ? &explanation->facts[explanation->count++] : NULL;
}

/* Writes the index and its value. An index of a narrow type may have wrapped. */
static bool describe_index(const struct gasan_formula *formula, const struct index *index, int64_t value,
                           struct gasan_proof_explanation *explanation) {
  struct gasan_proof_fact *fact = add_fact(explanation);
  const int room = (int)sizeof fact->expression - 32;
  bool is_exact;
  if (!gasan_formula_write(formula, index->node, fact->expression, (size_t)room) ||
      !strpbrk(fact->expression, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"))
    return false;
  char *end = fact->expression + strlen(fact->expression);
  if (index->added)
    snprintf(end, 32, " %c %lld", index->added < 0 ? '-' : '+', (long long)llabs(index->added));
  const __int128 wide = gasan_formula_exact(formula, index->node, &is_exact) + index->added;
  snprintf(fact->value, sizeof fact->value, "%lld", (long long)value);
  if (is_exact && wide != value && wide == (int64_t)wide) {
    bool is_unsigned;
    const uint32_t node = gasan_formula_skip(formula, index->node, &is_unsigned);
    snprintf(fact->value, sizeof fact->value, "%lld (%lld does not fit %u bits)", (long long)value, (long long)wide,
             formula->proof->nodes[node].bits);
  }
  return true;
}

static bool is_named(const struct gasan_proof_explanation *explanation, const char *name) {
  for (uint32_t i = 0; i < explanation->count; i++)
    if (strcmp(explanation->facts[i].expression, name) == 0)
      return true;
  return false;
}

/* Marks the nodes of the formula, those of its conditions included. Operands precede their nodes. */
static void mark_formula(const struct gasan_proof *proof, uint32_t root, bool *marks) {
  marks[root] = true;
  for (uint32_t i = root + 1; i-- > 0;) {
    const uint32_t operands = marks[i] ? gasan_proof_operand_count(&proof->nodes[i]) : 0;
    if (operands > 0)
      marks[proof->nodes[i].a] = true;
    if (operands > 1)
      marks[proof->nodes[i].b] = true;
    if (operands > 2)
      marks[proof->nodes[i].c] = true;
  }
}

static void describe_arguments(const struct gasan_formula *formula, uint32_t root,
                               struct gasan_proof_explanation *explanation) {
  const struct gasan_proof *proof = formula->proof;
  bool *marks = calloc(proof->node_count + 1u, sizeof *marks);
  char name[128];
  if (!marks)
    return;
  mark_formula(proof, root, marks);
  for (uint32_t i = 0; i <= root; i++) {
    uint64_t value;
    if (!marks[i])
      continue;
    gasan_formula_name(formula, i, name, sizeof name);
    if (!*name || !gasan_formula_value(formula, i, &value) || is_named(explanation, name))
      continue;
    struct gasan_proof_fact *fact = add_fact(explanation);
    if (!fact)
      break;
    const uint32_t bits = proof->nodes[i].bits;
    snprintf(fact->expression, sizeof fact->expression, "%s", name);
    snprintf(fact->value, sizeof fact->value, "%lld",
             bits == 64 ? (long long)value : (long long)(value << (64 - bits)) >> (64 - bits));
  }
  free(marks);
}

static bool describe(const struct question *question, uint64_t offset, struct gasan_proof_explanation *explanation) {
  struct gasan_formula formula = {.proof = question->proof, .values = question->values, .loop = GASAN_FORMULA_NO_NODE};
  const struct index index = find_index(&formula, question->claim->node);
  const int64_t value = (int64_t)offset / index.scale;
  if ((int64_t)offset % index.scale)
    return false;
  if (!solve_loop(&formula, index.node, value - index.added) || !describe_index(&formula, &index, value, explanation)) {
    if (index.scale == 1 && question->claim->root != GASAN_ROOT_INDEX) /* a number of bytes explains nothing */
      return false;
    explanation->count = 1;
    formula.loop = GASAN_FORMULA_NO_NODE;
    snprintf(explanation->facts[0].expression, sizeof explanation->facts[0].expression, "index");
    snprintf(explanation->facts[0].value, sizeof explanation->facts[0].value, "%lld", (long long)value);
  } else if (formula.loop != GASAN_FORMULA_NO_NODE) {
    struct gasan_proof_fact *fact = add_fact(explanation);
    snprintf(fact->expression, sizeof fact->expression, "counter (of the loop)");
    snprintf(fact->value, sizeof fact->value, "%lld", (long long)formula.loop_value);
  }
  describe_arguments(&formula, question->claim->node, explanation);
  return true;
}

/* Returns false if the formula has more than one offset for a thread of the block. */
static bool find_threads(struct question *question, uint64_t threads[GASAN_PROOF_BLOCK_WORDS]) {
  const uint32_t *block = question->launch.block;
  const uint64_t count = (uint64_t)block[0] * block[1] * block[2], pointer = pointer_of(question);
  const struct gasan_claim *claim = question->claim;
  struct gasan_proof_thread thread = question->access->thread;
  if (count > 64ull * GASAN_PROOF_BLOCK_WORDS)
    return false;
  for (uint64_t i = 0; i < count; i++) {
    thread.thread[0] = (uint32_t)(i % block[0]);
    thread.thread[1] = (uint32_t)(i / block[0] % block[1]);
    thread.thread[2] = (uint32_t)(i / block[0] / block[1]);
    evaluate(question, &thread);
    const struct gasan_interval *interval = &question->values[claim->node].interval;
    if (interval->empty)
      continue;
    if (interval->span)
      return false;
    const uint64_t at =
        claim->root == GASAN_ROOT_INDEX ? interval->low : pointer + interval->low - question->access->base;
    const uint64_t size = claim->root == GASAN_ROOT_INDEX ? claim->size : question->access->bounds_size;
    const uint64_t width = claim->root == GASAN_ROOT_INDEX ? 1 : claim->width;
    if (at >= size || width > size - at)
      threads[i / 64] |= 1ull << i % 64;
  }
  return true;
}

static bool answer(struct question *question, struct gasan_proof_explanation *explanation) {
  uint64_t offset;
  evaluate(question, &question->access->thread);
  *explanation = (struct gasan_proof_explanation){0};
  if (!find_offset(question, &offset) || !describe(question, offset, explanation))
    return false;
  explanation->has_threads = find_threads(question, explanation->threads);
  return true;
}

/* Writes the name of a pointer among the arguments: "keys", "graph[byte 8]". */
static void name_pointer(const struct gasan_proof *proof, uint32_t argument, uint32_t offset, char *text, size_t size) {
  const char *name = proof->strings + proof->arguments[argument].name;
  if (!*name)
    snprintf(text, size, "argument %u", argument + 1);
  else if (proof->arguments[argument].size > 8)
    snprintf(text, size, "%s[byte %u]", name, offset);
  else
    snprintf(text, size, "%s", name);
}

/* Finds the number that was loaded, from the address of the access. Returns false if no number gives the address. */
static bool find_loaded_number(const struct question *question, const struct gasan_loaded *loaded, int64_t *number) {
  const struct gasan_proof_input input = {loaded->argument, loaded->offset, 8};
  const int64_t bytes =
      (int64_t)(question->access->address - gasan_proof_read(&question->launch, &input) - (uint64_t)loaded->added);
  if (bytes % loaded->scale)
    return false;
  const uint32_t unused = 64u - loaded->bits;
  const uint64_t bits = (uint64_t)(bytes / loaded->scale) << unused;
  *number = loaded->is_signed ? (int64_t)bits >> unused : (int64_t)(bits >> unused);
  return true;
}

/* Writes the index of the number among its like: "threadIdx.x + 4"; *index is its value. Returns false if it is not one
 * value, or has no text. */
static bool write_place(const struct question *question, const struct gasan_formula *formula,
                        const struct gasan_loaded *loaded, char *text, size_t size, int64_t *index) {
  const struct gasan_claim *claim = question->claim;
  const struct gasan_interval *interval = &question->values[claim->node].interval;
  const struct index found = find_index(formula, claim->node);
  const int64_t width = loaded->bits / 8, offset = (int64_t)(interval->low + (uint64_t)loaded->distance);
  if (interval->empty || interval->span || !width || found.scale != width || offset % width ||
      loaded->distance % width || !gasan_formula_write(formula, found.node, text, size - 32))
    return false;
  if (width == 1 && strchr(text, '*')) /* rather a member of a structure than an array of bytes */
    return false;
  const int64_t added = found.added + loaded->distance / width;
  if (added)
    snprintf(text + strlen(text), 32, " %c %lld", added < 0 ? '-' : '+', (long long)llabs(added));
  *index = offset / width;
  return true;
}

/* Writes the number's value, and the number of elements from the pointer to the object's end. */
static void write_number(const struct question *question, const struct gasan_loaded *loaded, int64_t number, char *text,
                         size_t size) {
  const struct gasan_proof_input root = {loaded->argument, loaded->offset, 8};
  const struct gasan_proof_access *access = question->access;
  const uint64_t left = access->base + access->bounds_size - gasan_proof_read(&question->launch, &root);
  char name[64];
  name_pointer(question->proof, loaded->argument, loaded->offset, name, sizeof name);
  if (left <= access->bounds_size)
    snprintf(text, size, "%lld (%s has %llu elements)", (long long)number, name,
             (unsigned long long)left / (unsigned long long)loaded->scale);
  else
    snprintf(text, size, "%lld", (long long)number);
}

/* Answers for an access whose index was loaded from memory. */
static bool answer_loaded(struct question *question, const struct gasan_loaded *loaded,
                          struct gasan_proof_explanation *explanation) {
  struct gasan_formula formula = {.proof = question->proof, .values = question->values, .loop = GASAN_FORMULA_NO_NODE};
  int64_t number, index;
  char name[64], place[96];
  question->claim = &question->proof->claims[loaded->claim];
  evaluate(question, &question->access->thread);
  *explanation = (struct gasan_proof_explanation){0};
  if (!find_loaded_number(question, loaded, &number))
    return false;
  const bool has_place = write_place(question, &formula, loaded, place, sizeof place, &index);
  struct gasan_proof_fact *fact = add_fact(explanation);
  name_pointer(question->proof, question->claim->argument, question->claim->offset, name, sizeof name);
  snprintf(fact->expression, sizeof fact->expression, "%s[%s]", name, has_place ? place : "...");
  write_number(question, loaded, number, fact->value, sizeof fact->value);
  if (has_place && strspn(place, "-0123456789") != strlen(place)) {
    fact = add_fact(explanation);
    snprintf(fact->expression, sizeof fact->expression, "%s", place);
    snprintf(fact->value, sizeof fact->value, "%lld", (long long)index);
  }
  describe_arguments(&formula, question->claim->node, explanation);
  return true;
}

bool gasan_proof_explain(const struct gasan_proof *proof, const struct gasan_proof_launch *launch,
                         const uint64_t *values, const struct gasan_proof_access *access,
                         struct gasan_proof_explanation *explanation) {
  struct arguments arguments;
  struct question question = {.proof = proof, .launch = *launch, .access = access};
  bool found = false;
  question.values = calloc(proof->node_count + 1u, sizeof *question.values);
  if (make_arguments(proof, values, &arguments) && question.values) {
    question.launch.arguments = arguments.pointers;
    for (uint32_t i = 0; i < proof->loaded_count && !found; i++)
      if (proof->loaded[i].kernel == proof->number && proof->loaded[i].site == access->site)
        found = answer_loaded(&question, &proof->loaded[i], explanation);
    for (uint32_t i = 0; i < proof->claim_count && !found; i++)
      if (proof->claims[i].site == access->site) {
        question.claim = &proof->claims[i];
        found = answer(&question, explanation);
      }
  }
  free(question.values);
  free_arguments(&arguments);
  return found;
}
