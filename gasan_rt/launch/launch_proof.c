/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/launch/launch_proof.h"

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "gasan_rt/core/errors.h"
#include "gasan_rt/memory/allocation_stream.h"
#include "gasan_rt/memory/device_bounds.h"
#include "gasan_rt/report/site_table.h"
#include "gasan_rt/sanitizer/sanitizer.h"
#include "proof/proof.h"

/* A variant of a kernel on one device. */
struct variant {
  const void *_Atomic function;  /* NULL: not looked up yet; no_variant: there is none */
  _Atomic uint32_t most_threads; /* in a block, with the variant's registers */
};

#define MOST_THREADS 1024u /* in a block, on every GPU */
#define LATE_TRIAL 128u    /* launches of a variant before a trial from which little can be expected */

/* A proven variant may have a second form, with fewer registers (GASAN_FITTED_PREFIX). */
enum form { FORM_OWN, FORM_FITTED, FORMS };

/* A kernel of a prepared module. */
struct gasan_kernel_proof {
  const struct gasan_kernel *kernel;
  struct gasan_proof *proof; /* NULL: nothing can be proven */
  struct variant variants[GASAN_VARIANTS][GASAN_RT_DEVICES][FORMS];
  atomic_bool handed_out;
  _Atomic uint64_t launched[GASAN_VARIANTS], in_graphs[GASAN_VARIANTS], refused, handed_out_launches, crossed_streams;
  _Atomic uint64_t slower; /* launches with all checks, because the variant takes longer */
  _Atomic uint64_t fitted; /* launches of the variant with fewer registers, because it takes less time */
  struct gasan_variant_times *_Atomic times;
  struct gasan_kernel_proof *next;
};

static const char *const prefixes[GASAN_VARIANTS] = {[GASAN_VARIANT_FULL] = "",
                                                     [GASAN_VARIANT_WIDE] = GASAN_WIDE_PREFIX,
                                                     [GASAN_VARIANT_BOUNDED] = GASAN_BOUNDED_PREFIX,
                                                     [GASAN_VARIANT_PROVEN] = GASAN_PROVEN_PREFIX};

static const char no_variant;

/* The handle of a kernel's wide variant on some device. */
struct handle {
  const void *function;
  struct handle *next;
};
static struct handle *_Atomic wide_handles;

static struct gasan_kernel_proof *_Atomic list;
static _Atomic uint64_t epoch;

static bool is_possible(struct gasan_rt_device *state) {
  return gasan_options()->launch_proof && !gasan_options()->strict_temporal && state->tables &&
         state->params.lookup == GASAN_LOOKUP_PAGEMAP && !gasan_rt_tags();
}

static struct gasan_proof *find_proof(const struct gasan_kernel *kernel, struct gasan_rt_device *state) {
  struct gasan_proofs *proofs = is_possible(state) ? gasan_module_proofs(kernel, state) : NULL;
  struct gasan_proof *proof = proofs ? gasan_proofs_kernel(proofs, kernel->name) : NULL;
  if (!proof ||
      gasan_proof_argument_count(proof) + 2ull * gasan_proof_hidden_count(proof) > GASAN_LAUNCH_PROOF_ARGUMENTS ||
      gasan_proof_argument_count(proof) + (uint64_t)gasan_proof_bounded_count(proof) > GASAN_LAUNCH_PROOF_ARGUMENTS)
    return NULL;
  return proof;
}

static struct gasan_kernel_proof *proof_of(const struct gasan_kernel *kernel, struct gasan_rt_device *state) {
  struct gasan_kernel_proof *_Atomic *slot = gasan_kernel_launch_proof(kernel);
  struct gasan_kernel_proof *kernel_proof = atomic_load_explicit(slot, memory_order_acquire);
  if (kernel_proof)
    return kernel_proof;
  struct gasan_kernel_proof *made = calloc(1, sizeof *made);
  GASAN_CHECK(made);
  made->kernel = kernel;
  made->proof = find_proof(kernel, state);
  if (!atomic_compare_exchange_strong(slot, &kernel_proof, made)) {
    free(made);
    return kernel_proof;
  }
  if (made->proof) {
    made->next = atomic_load(&list);
    while (!atomic_compare_exchange_weak(&list, &made->next, made))
      continue;
  }
  return made;
}

static void note_wide(const void *function) {
  struct handle *handle = malloc(sizeof *handle);
  GASAN_CHECK(handle);
  *handle = (struct handle){function, atomic_load(&wide_handles)};
  while (!atomic_compare_exchange_weak(&wide_handles, &handle->next, handle))
    continue;
}

bool gasan_launch_proof_is_wide(const void *function) {
  const struct handle *handle = atomic_load(&wide_handles);
  while (handle && handle->function != function)
    handle = handle->next;
  return handle != NULL;
}

static const void *find_variant(struct gasan_kernel_proof *kernel_proof, struct gasan_rt_device *state,
                                enum gasan_proof_variant variant, enum form form, uint32_t *most_threads) {
  const void *function = &no_variant;
  const char *fitted = form == FORM_FITTED ? GASAN_FITTED_PREFIX : "";
  size_t size = strlen(fitted) + strlen(prefixes[variant]) + strlen(kernel_proof->kernel->name) + 1;
  char *name = malloc(size);
  GASAN_CHECK(name);
  snprintf(name, size, "%s%s%s", fitted, prefixes[variant], kernel_proof->kernel->name);
  const struct gasan_kernel *kernel = kernel_proof->kernel;
  const struct gasan_device_kind *kind = state->device->kind;
  struct gasan_status status = (gasan_module_is_by_driver(kernel->module) ? kind->function_variant : kind->variant)(
      state->device, kernel->host_function, name, &function, most_threads);
  if (!gasan_ok(status)) {
    function = &no_variant;
    if (gasan_verbosity() >= 1 && variant != GASAN_VARIANT_WIDE && variant != GASAN_VARIANT_FULL &&
        form == FORM_OWN) /* few kernels have a wide variant or a fitted form, and no table names them */
      gasan_rt_warn("kernel %s has no variant %s on device %d (%s, driver error %d)", gasan_kernel_title(kernel).text,
                    name, state->device->ordinal, gasan_status_text(status), status.driver_error);
  }
  free(name);
  if (variant == GASAN_VARIANT_WIDE && function != &no_variant)
    note_wide(function);
  return function;
}

/* Returns the variant's function in this form, loaded. NULL: the device has none. */
static const void *load_form(struct gasan_kernel_proof *kernel_proof, struct gasan_rt_device *state,
                             enum gasan_proof_variant variant, enum form form) {
  struct variant *slot = &kernel_proof->variants[variant][state->device->ordinal][form];
  const void *function = atomic_load_explicit(&slot->function, memory_order_acquire);
  if (!function) {
    uint32_t most_threads = 0;
    function = find_variant(kernel_proof, state, variant, form, &most_threads);
    atomic_store(&slot->most_threads, most_threads);
    atomic_store(&slot->function, function);
  }
  return function == &no_variant ? NULL : function;
}

/* Like load_form. Returns NULL for the kernel with all checks, too, which the program's own call launches. */
static const void *form_of(struct gasan_kernel_proof *kernel_proof, struct gasan_rt_device *state,
                           enum gasan_proof_variant variant, enum form form) {
  if (variant == GASAN_VARIANT_FULL || (variant != GASAN_VARIANT_WIDE && !kernel_proof->proof) ||
      (variant == GASAN_VARIANT_BOUNDED && !gasan_proof_bounded_count(kernel_proof->proof)) ||
      (variant == GASAN_VARIANT_WIDE && form == FORM_FITTED))
    return NULL;
  return load_form(kernel_proof, state, variant, form);
}

static const void *variant_of(struct gasan_kernel_proof *kernel_proof, struct gasan_rt_device *state,
                              enum gasan_proof_variant variant) {
  return form_of(kernel_proof, state, variant, FORM_OWN);
}

/* Returns the first form of the variant whose registers allow a block of so many threads, or NULL. */
static const void *fitting_variant(struct gasan_kernel_proof *kernel_proof, struct gasan_rt_device *state,
                                   enum gasan_proof_variant variant, uint64_t threads) {
  for (enum form form = FORM_OWN; form < FORMS; form++) {
    const void *function = form_of(kernel_proof, state, variant, form);
    if (!function ||
        threads <= atomic_load(&kernel_proof->variants[variant][state->device->ordinal][form].most_threads))
      return function;
  }
  return NULL;
}

/* The context of find_bounds: one launch. */
struct asked {
  struct gasan_rt_device *state;
  void *stream;
};

static struct gasan_bounds find_bounds(void *context, uint64_t pointer) {
  return gasan_lookup_bounds(((const struct asked *)context)->state, pointer);
}

static bool chunk_lasts(void *context, uint64_t base) {
  return gasan_allocation_stream_lasts(base, ((const struct asked *)context)->stream);
}

static struct gasan_proof_launch values_of(const struct gasan_launch_shape *shape) {
  struct gasan_proof_launch values = {.dynamic_shared = shape->dynamic_shared, .arguments = shape->arguments};
  memcpy(values.grid, shape->grid, sizeof values.grid);
  memcpy(values.block, shape->block, sizeof values.block);
  return values;
}

static enum gasan_proof_variant decide_variant(struct gasan_kernel_proof *kernel_proof, struct gasan_rt_device *state,
                                               const struct gasan_launch_shape *shape,
                                               struct gasan_variant_launch *launch) {
  if (!kernel_proof->proof || !is_possible(state) || !variant_of(kernel_proof, state, GASAN_VARIANT_PROVEN))
    return GASAN_VARIANT_FULL;
  if (gasan_allocation_stream_is_crossed()) {
    atomic_fetch_add(&kernel_proof->crossed_streams, !shape->is_node);
    return GASAN_VARIANT_FULL;
  }
  struct gasan_proof_launch values = values_of(shape);
  /* find_bounds reads the uploaded ranges. */
  if (!gasan_ok(gasan_lookup_upload(state)))
    return GASAN_VARIANT_FULL;
  struct asked asked = {state, shape->stream};
  struct gasan_proof_lookup lookup = {.find = find_bounds,
                                      .lasts = gasan_allocation_stream_matters(shape->stream) ? chunk_lasts : NULL,
                                      .context = &asked,
                                      .device = (uint32_t)state->device->ordinal,
                                      .uncounted = shape->is_node,
                                      .epoch = gasan_lookup_epoch(state)};
  return gasan_proof_decide(kernel_proof->proof, &values, &lookup, launch->hidden);
}

/* Makes launch->passed point to the program's arguments followed by the variant's hidden arguments. */
static void pass_arguments(struct gasan_variant_launch *launch, const struct gasan_launch_shape *shape) {
  const struct gasan_proof *proof = launch->kernel_proof->proof;
  launch->passed = shape->arguments;
  launch->hidden_count = 0;
  if (launch->variant == GASAN_VARIANT_WIDE)
    return;
  uint32_t count = gasan_proof_argument_count(proof);
  launch->hidden_count =
      launch->variant == GASAN_VARIANT_PROVEN ? 2 * gasan_proof_hidden_count(proof) : gasan_proof_bounded_count(proof);
  if (count)
    memcpy(launch->arguments, shape->arguments, count * sizeof *launch->arguments);
  gasan_proof_place_hidden(proof, launch->variant, launch->hidden, launch->arguments + count);
  launch->passed = launch->arguments;
}

static uint64_t threads_of(const struct gasan_launch_shape *shape) {
  return (uint64_t)shape->block[0] * shape->block[1] * shape->block[2];
}

static uint64_t hash_shape(const struct gasan_launch_shape *shape, uint64_t device) {
  uint64_t hash = device;
  for (int axis = 0; axis < 3; axis++)
    hash = (hash * 0x100000001b3u ^ shape->grid[axis]) * 0x100000001b3u ^ shape->block[axis];
  return hash * 0x100000001b3u ^ shape->dynamic_shared;
}

/* Returns true if a block of this size fits both forms of the variant, so that a trial can compare them. */
static bool has_choice_of_forms(struct gasan_kernel_proof *kernel_proof, struct gasan_rt_device *state,
                                enum gasan_proof_variant variant, uint64_t threads) {
  const void *own = variant_of(kernel_proof, state, variant);
  return own &&
         threads <= atomic_load(&kernel_proof->variants[variant][state->device->ordinal][FORM_OWN].most_threads) &&
         form_of(kernel_proof, state, variant, FORM_FITTED);
}

/* Returns true if the kernel with all checks, which needs more registers than the variant, is not known to be slower:
 * if it has less than half as many as the variant, it has its values in local memory (CUTLASS's kernels: 20 times).
 *
 * A proven variant with which the largest block fits makes fewer checks than this kernel, and no fewer blocks of it run
 * at once. Only chance makes the kernel quicker, and its one launch may take as long as ten of the variant. */
static bool full_may_be_quicker(struct gasan_kernel_proof *kernel_proof, struct gasan_rt_device *state,
                                enum gasan_proof_variant variant, uint64_t threads) {
  struct variant(*of_device)[GASAN_RT_DEVICES][FORMS] = kernel_proof->variants;
  const int device = state->device->ordinal;
  const uint32_t most = atomic_load(&of_device[variant][device][FORM_OWN].most_threads);
  if (variant == GASAN_VARIANT_PROVEN && most >= MOST_THREADS &&
      atomic_load(&kernel_proof->launched[variant]) < LATE_TRIAL)
    return false;
  if (2 * (uint64_t)most >= MOST_THREADS || fitting_variant(kernel_proof, state, GASAN_VARIANT_WIDE, threads) ||
      !load_form(kernel_proof, state, GASAN_VARIANT_FULL, FORM_OWN))
    return true;
  return atomic_load(&of_device[GASAN_VARIANT_FULL][device][FORM_OWN].most_threads) <= 2 * (uint64_t)most;
}

/* Returns the form to launch. Returns GASAN_TRIAL_VARIANT for a variant without checks. For a variant with checks,
 * returns the result of its trial, or, while the trial runs, the choice that this launch is to time. */
static enum gasan_trial_choice try_variant(struct gasan_kernel_proof *kernel_proof, struct gasan_rt_device *state,
                                           const struct gasan_launch_shape *shape, enum gasan_proof_variant variant,
                                           struct gasan_timed_launch *timed) {
  if (variant != GASAN_VARIANT_BOUNDED &&
      (variant != GASAN_VARIANT_PROVEN || !gasan_proof_kept_checks(kernel_proof->proof)))
    return GASAN_TRIAL_VARIANT;
  if (shape->is_node)
    return gasan_variant_times_best(&kernel_proof->times);
  const uint64_t hash = hash_shape(shape, (uint64_t)state->device->ordinal * GASAN_VARIANTS + variant);
  const uint64_t threads = threads_of(shape);
  const enum gasan_trial_choice choice =
      gasan_variant_times_choose(&kernel_proof->times, hash, full_may_be_quicker(kernel_proof, state, variant, threads),
                                 has_choice_of_forms(kernel_proof, state, variant, threads), timed);
  if (choice == GASAN_TRIAL_FULL && timed->times) /* else CUDA would load it in the time that is measured */
    load_form(kernel_proof, state, GASAN_VARIANT_FULL, FORM_OWN);
  if (choice != GASAN_TRIAL_VARIANT && !timed->times &&
      atomic_fetch_add(choice == GASAN_TRIAL_FULL ? &kernel_proof->slower : &kernel_proof->fitted, 1) == 0)
    atomic_fetch_add(&epoch, 1); /* graphs choose again */
  return choice;
}

bool gasan_launch_proof_choose(const struct gasan_kernel *kernel, struct gasan_rt_device *state,
                               const struct gasan_launch_shape *shape, struct gasan_variant_launch *launch,
                               struct gasan_timed_launch *timed) {
  struct gasan_kernel_proof *kernel_proof = proof_of(kernel, state);
  *timed = (struct gasan_timed_launch){NULL, 0};
  if (atomic_load(&kernel_proof->handed_out)) {
    atomic_fetch_add(&kernel_proof->handed_out_launches, !shape->is_node);
    return false;
  }
  launch->kernel_proof = kernel_proof;
  launch->variant = decide_variant(kernel_proof, state, shape, launch);
  const enum gasan_trial_choice choice = try_variant(kernel_proof, state, shape, launch->variant, timed);
  if (choice == GASAN_TRIAL_FULL)
    launch->variant = GASAN_VARIANT_FULL;
  launch->function = choice == GASAN_TRIAL_FITTED ? form_of(kernel_proof, state, launch->variant, FORM_FITTED) : NULL;
  if (!launch->function)
    launch->function = fitting_variant(kernel_proof, state, launch->variant, threads_of(shape));
  if (!launch->function) {
    launch->variant = GASAN_VARIANT_WIDE;
    launch->function = fitting_variant(kernel_proof, state, GASAN_VARIANT_WIDE, threads_of(shape));
  }
  if (!launch->function)
    return false;
  launch->looks_up =
      launch->variant == GASAN_VARIANT_WIDE || gasan_proof_looks_up(kernel_proof->proof, launch->variant);
  pass_arguments(launch, shape);
  return true;
}

static void count_launch(const struct gasan_variant_launch *launch) {
  atomic_fetch_add_explicit(&launch->kernel_proof->launched[launch->variant], 1, memory_order_relaxed);
}

bool gasan_launch_proof_launch(const struct gasan_variant_launch *launch, struct gasan_rt_device *state,
                               const struct gasan_launch_shape *shape) {
  const struct gasan_device_kind *kind = state->device->kind;
  if (!kind->launch || !gasan_ok(kind->launch(state->device, launch->function, shape->grid, shape->block,
                                              shape->dynamic_shared, shape->stream, launch->passed)))
    return false;
  count_launch(launch);
  return true;
}

void gasan_launch_proof_attempt(struct gasan_variant_launch *launch) {
  launch->waiting = gasan_waiting_error();
}

bool gasan_launch_proof_attempted(const struct gasan_variant_launch *launch, int error) {
  if (error == cudaSuccess) {
    count_launch(launch);
    return true;
  }
  atomic_fetch_add(&launch->kernel_proof->refused, 1);
  gasan_forget_error((cudaError_t)launch->waiting);
  return false;
}

const struct gasan_proof *gasan_launch_proof_of(const struct gasan_kernel *kernel, struct gasan_rt_device *state) {
  return proof_of(kernel, state)->proof;
}

bool gasan_launch_proof_has_variants(const struct gasan_kernel *kernel, struct gasan_rt_device *state) {
  struct gasan_kernel_proof *kernel_proof = proof_of(kernel, state);
  return (kernel_proof->proof && is_possible(state)) || variant_of(kernel_proof, state, GASAN_VARIANT_WIDE);
}

bool gasan_launch_proof_roots(const struct gasan_kernel *kernel, struct gasan_rt_device *state,
                              const struct gasan_launch_shape *shape, uint64_t *pointers, uint32_t room,
                              uint32_t *count) {
  struct gasan_kernel_proof *kernel_proof = proof_of(kernel, state);
  struct gasan_proof_launch values = values_of(shape);
  *count = !kernel_proof->proof ? 0 : gasan_proof_roots(kernel_proof->proof, &values, pointers, room);
  return *count <= room;
}

uint64_t gasan_launch_proof_epoch(void) {
  return atomic_load(&epoch) + gasan_allocation_stream_is_crossed();
}

void gasan_launch_proof_count_in_graph(const struct gasan_kernel *kernel, struct gasan_rt_device *state,
                                       enum gasan_proof_variant variant, uint64_t times) {
  atomic_fetch_add_explicit(&proof_of(kernel, state)->in_graphs[variant], times, memory_order_relaxed);
}

/* Returns NULL if no module has registered the function. */
static struct gasan_kernel_proof *find_registered(const void *host_function, struct gasan_rt_device *state) {
  const struct gasan_kernel *kernel = host_function && state ? gasan_registry_kernel(host_function) : NULL;
  return kernel ? proof_of(kernel, state) : NULL;
}

/* Returns true if the variant's registers rule out some block that CUDA allows. */
static bool is_wide(struct gasan_kernel_proof *kernel_proof, struct gasan_rt_device *state,
                    enum gasan_proof_variant variant) {
  enum { LARGEST_BLOCK = 1024 };
  return variant_of(kernel_proof, state, variant) &&
         atomic_load(&kernel_proof->variants[variant][state->device->ordinal][FORM_OWN].most_threads) < LARGEST_BLOCK;
}

const void *gasan_launch_proof_unproven(const void *host_function, uint64_t threads) {
  struct gasan_rt_device *state = gasan_rt_current();
  struct gasan_kernel_proof *kernel_proof = find_registered(host_function, state);
  if (!kernel_proof || atomic_load(&kernel_proof->handed_out))
    return NULL;
  const void *wide = fitting_variant(kernel_proof, state, GASAN_VARIANT_WIDE, threads);
  if (wide || !is_possible(state) || !is_wide(kernel_proof, state, GASAN_VARIANT_BOUNDED))
    return wide;
  return fitting_variant(kernel_proof, state, GASAN_VARIANT_BOUNDED, threads);
}

void gasan_launch_proof_hand_out(const void *host_function) {
  struct gasan_kernel_proof *kernel_proof = find_registered(host_function, gasan_rt_current());
  if (kernel_proof && !atomic_exchange(&kernel_proof->handed_out, true))
    atomic_fetch_add(&epoch, 1);
}

void gasan_launch_proof_mirror(const void *host_function, enum cudaFuncAttribute attribute, int value) {
  struct gasan_rt_device *state = gasan_rt_current();
  struct gasan_kernel_proof *kernel_proof = find_registered(host_function, state);
  for (int i = GASAN_VARIANT_WIDE * FORMS; kernel_proof && i < GASAN_VARIANTS * FORMS; i++) {
    const enum gasan_proof_variant variant = i / FORMS;
    const enum form form = i % FORMS;
    const void *function = form_of(kernel_proof, state, variant, form);
    if (!function)
      continue;
    cudaError_t waiting = gasan_waiting_error();
    if (GASAN_REAL(cudaFuncSetAttribute)(function, attribute, value) == cudaSuccess)
      continue;
    atomic_store(&kernel_proof->variants[variant][state->device->ordinal][form].function, &no_variant);
    atomic_fetch_add(&epoch, 1);
    gasan_forget_error(waiting);
  }
}

#define STATS_KERNELS 20

static void print_place(const struct gasan_sites *sites, uint32_t number) {
  const struct gasan_site *site = sites ? gasan_sites_site(sites, number) : NULL;
  if (!site || !site->frame_count) {
    gasan_printf("an access at an unknown place");
    return;
  }
  const struct gasan_frame *frame = gasan_sites_frame(sites, site, 0);
  gasan_printf("%s:%u:%u", gasan_file_name(gasan_sites_string(sites, frame->file)), frame->line, frame->column);
}

static void print_object(const struct gasan_proof_failure *failure) {
  if (failure->argument == GASAN_PROOF_NO_ARGUMENT)
    gasan_printf("a variable of %llu bytes", (unsigned long long)failure->size);
  else
    gasan_printf("%llu bytes (argument %u)", (unsigned long long)failure->size, failure->argument + 1);
}

/* Greater offsets are printed as unknown. */
#define KNOWN_OFFSETS (1ull << 62)

static void print_failure(const struct gasan_proof_failure *failure, const struct gasan_sites *sites) {
  switch (failure->reason) {
  case GASAN_PROOF_OUTSIDE:
    print_place(sites, failure->site);
    if (failure->span < KNOWN_OFFSETS)
      gasan_printf(" may touch bytes %lld to %lld of ", (long long)failure->low,
                   (long long)(failure->low + failure->span + failure->width - 1));
    else
      gasan_printf(" may touch any byte, inside or outside of ");
    print_object(failure);
    break;
  case GASAN_PROOF_BAD_INDEX:
    print_place(sites, failure->site);
    if (failure->span < KNOWN_OFFSETS)
      gasan_printf(" may have an index or offset of %lld to %lld", (long long)failure->low,
                   (long long)(failure->low + failure->span));
    else
      gasan_printf(" may have any index");
    gasan_printf(" (0 to %llu are inside of the array)", (unsigned long long)(failure->size - 1));
    break;
  case GASAN_PROOF_MISALIGNED:
    print_place(sites, failure->site);
    gasan_printf(" needs a greater alignment than argument %u has", failure->argument + 1);
    break;
  case GASAN_PROOF_NO_OBJECT:
    gasan_printf("argument %u points to no live memory that gasan knows", failure->argument + 1);
    break;
  case GASAN_PROOF_MAY_END:
    gasan_printf("argument %u points to memory that another stream may free", failure->argument + 1);
    break;
  case GASAN_PROOF_TOO_MANY:
    gasan_printf("argument %u points to more elements than the type of its indices can count", failure->argument + 1);
    break;
  case GASAN_PROOF_NOT_TRIED:
  case GASAN_PROOF_HOLDS:
    gasan_printf("its shape or arguments");
    break;
  }
}

static void print_failures(const struct gasan_proof *proof, const struct gasan_proof_failures *failures,
                           const struct gasan_sites *sites) {
  uint32_t claims = gasan_proof_claim_count(proof);
  gasan_printf("; the latest");
  if (failures->claims && claims > 1)
    gasan_printf(" (%u of %u claims hold)", claims - failures->claims, claims);
  for (uint32_t i = 0; i < failures->count; i++) {
    gasan_printf(i ? ", " : ": ");
    print_failure(&failures->at[i], sites);
  }
  if (failures->claims > failures->count)
    gasan_printf(", and %u more", failures->claims - failures->count);
}

/* A launch counts as proven if it makes no check, and as partly proven if it makes fewer checks than the kernel. */
struct launch_counts {
  uint64_t proven, partly;
};

static struct launch_counts count_launches(const struct gasan_kernel_proof *kernel_proof,
                                           const _Atomic uint64_t launched[GASAN_VARIANTS]) {
  uint64_t proven = atomic_load(&launched[GASAN_VARIANT_PROVEN]);
  uint64_t bounded = atomic_load(&launched[GASAN_VARIANT_BOUNDED]);
  return gasan_proof_kept_checks(kernel_proof->proof) ? (struct launch_counts){0, proven + bounded}
                                                      : (struct launch_counts){proven, bounded};
}

static void print_number(uint64_t number, const char *of) {
  if (number)
    gasan_printf(", %llu %s", (unsigned long long)number, of);
}

static void print_count(_Atomic uint64_t *count, const char *of) {
  print_number(atomic_load(count), of);
}

static uint64_t launches_in_graphs(struct gasan_kernel_proof *kernel_proof) {
  uint64_t launches = 0;
  for (int variant = 0; variant < GASAN_VARIANTS; variant++)
    launches += atomic_load(&kernel_proof->in_graphs[variant]);
  return launches;
}

static void print_graphs(struct gasan_kernel_proof *kernel_proof) {
  if (!launches_in_graphs(kernel_proof))
    return;
  const struct launch_counts counts = count_launches(kernel_proof, kernel_proof->in_graphs);
  gasan_printf(", in graphs %llu proven", (unsigned long long)counts.proven);
  print_number(counts.partly, "in part");
  gasan_printf(" and %llu not", (unsigned long long)(atomic_load(&kernel_proof->in_graphs[GASAN_VARIANT_FULL]) +
                                                     atomic_load(&kernel_proof->in_graphs[GASAN_VARIANT_WIDE])));
}

static void print_kernel(struct gasan_kernel_proof *kernel_proof) {
  struct gasan_proof_counts counts;
  gasan_proof_counts(kernel_proof->proof, &counts);
  const struct launch_counts launches = count_launches(kernel_proof, kernel_proof->launched);
  struct gasan_rt_device *state = NULL;
  for (int i = 0; i < GASAN_RT_DEVICES && !state; i++)
    state = gasan_rt_device(i);
  const struct gasan_sites *sites =
      state ? gasan_module_sites(gasan_module_id(kernel_proof->kernel->module), state) : NULL;
  const char *pretty = sites ? gasan_sites_pretty_kernel(sites, kernel_proof->kernel->name) : NULL;
  gasan_printf("Stats:   %s: %llu launches proven", pretty ? pretty : gasan_kernel_title(kernel_proof->kernel).text,
               (unsigned long long)launches.proven);
  print_number(launches.partly, "in part");
  gasan_printf(", %llu not", (unsigned long long)counts.failed);
  print_graphs(kernel_proof);
  print_count(&kernel_proof->handed_out_launches, "not tried, because the program has asked for the kernel's handle");
  print_count(&kernel_proof->crossed_streams,
              "not tried, because the program frees memory in other streams than it was allocated in");
  print_count(&kernel_proof->refused, "refused by CUDA");
  print_count(&kernel_proof->slower, "with all checks, because the variant with fewer takes longer");
  print_count(&kernel_proof->fitted, "with fewer registers, because that takes less time");
  const uint32_t kept = gasan_proof_kept_checks(kernel_proof->proof);
  print_number(kept, kept == 1 ? "check in each launch" : "checks in each launch");
  if (counts.failures.count)
    print_failures(kernel_proof->proof, &counts.failures, sites);
  gasan_printf("\n");
}

static bool is_proven(struct gasan_kernel_proof *kernel_proof) {
  struct gasan_proof_counts counts;
  gasan_proof_counts(kernel_proof->proof, &counts);
  return !gasan_proof_kept_checks(kernel_proof->proof) && !counts.failed && !counts.partly &&
         !atomic_load(&kernel_proof->refused) && !atomic_load(&kernel_proof->handed_out_launches) &&
         !atomic_load(&kernel_proof->crossed_streams) &&
         launches_in_graphs(kernel_proof) == atomic_load(&kernel_proof->in_graphs[GASAN_VARIANT_PROVEN]);
}

void gasan_launch_proof_print_stats(void) {
  uint64_t kernels = 0, proven_kernels = 0, launches = 0, proven = 0, partly = 0, evaluated = 0;
  for (struct gasan_kernel_proof *at = atomic_load(&list); at; at = at->next) {
    struct gasan_proof_counts counts;
    gasan_proof_counts(at->proof, &counts);
    kernels++;
    proven_kernels += is_proven(at);
    const struct launch_counts own = count_launches(at, at->launched), in_graphs = count_launches(at, at->in_graphs);
    proven += own.proven + in_graphs.proven;
    partly += own.partly + in_graphs.partly;
    launches += counts.proven + counts.partly + counts.failed + launches_in_graphs(at) +
                atomic_load(&at->handed_out_launches) + atomic_load(&at->crossed_streams);
    evaluated += counts.evaluated;
  }
  if (!kernels)
    return;
  gasan_printf("Stats: launch proof: %llu of %llu launches proven", (unsigned long long)proven,
               (unsigned long long)launches);
  print_number(partly, "in part");
  gasan_printf(", by %llu evaluations; %llu of %llu kernels in every launch\n", (unsigned long long)evaluated,
               (unsigned long long)proven_kernels, (unsigned long long)kernels);
  int printed = 0;
  for (struct gasan_kernel_proof *at = atomic_load(&list); at && printed < STATS_KERNELS; at = at->next)
    if (!is_proven(at)) {
      print_kernel(at);
      printed++;
    }
  if (kernels - proven_kernels > STATS_KERNELS)
    gasan_printf("Stats:   and %llu kernels more\n", (unsigned long long)(kernels - proven_kernels - STATS_KERNELS));
}
