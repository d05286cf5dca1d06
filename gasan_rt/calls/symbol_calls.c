/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls that return the address or size of a device variable. */
#include "gasan_rt/calls/calls.h"
#include "gasan_rt/core/errors.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/launch/registry.h"
#include "gasan_rt/memory/foreign.h"
#include "gasan_rt/memory/managed_variables.h"

cudaError_t gasan_call_get_symbol_size(struct gasan_call *call, size_t *size, const void *symbol) {
  size_t managed;
  if (!size || !gasan_managed_find(symbol, &managed))
    return GASAN_CALL_REAL(call, cudaGetSymbolSize)(size, symbol);
  *size = managed;
  return cudaSuccess;
}

/* Records the variable as memory: from now on, the program may use its address in copies, like any other address. */
static cudaError_t note_variable(cudaError_t error, void **address, const void *symbol) {
  const char *name = gasan_registry_variable(symbol);
  size_t size = 0;
  struct gasan_foreign range;
  if (error == cudaSuccess && address && name && GASAN_REAL(cudaGetSymbolSize)(&size, symbol) == cudaSuccess && size &&
      !(gasan_foreign_find(*address, &range) && range.kind == GASAN_FOREIGN_VARIABLE))
    gasan_foreign_add(GASAN_FOREIGN_VARIABLE, *address, size, (struct gasan_pool_caller){.api = name});
  return error;
}

cudaError_t gasan_call_get_symbol_address(struct gasan_call *call, void **address, const void *symbol) {
  size_t size;
  struct gasan_rt_device *state = gasan_rt_current();
  if (!address || !state || !gasan_managed_find(symbol, &size))
    return note_variable(GASAN_CALL_REAL(call, cudaGetSymbolAddress)(address, symbol), address, symbol);
  uint64_t shared = gasan_managed_address(symbol, state);
  if (!shared)
    return gasan_set_error(cudaErrorInvalidSymbol);
  *address = (void *)(uintptr_t)shared;
  return cudaSuccess;
}
