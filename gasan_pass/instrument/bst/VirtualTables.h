/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Recognises loads of pointers to tables of virtual functions. No lookup knows these tables, which are constants of the
// module, so such pointers are treated apart (docs/internals/checks.md, Lookups).
#ifndef GASAN_PASS_INSTRUMENT_BST_VIRTUALTABLES_H
#define GASAN_PASS_INSTRUMENT_BST_VIRTUALTABLES_H

#include "llvm/IR/Instructions.h"

namespace gasan {

// Returns true if the load reads an object's pointer to its class's table. A wrong answer costs time only.
bool loadsVirtualTable(const llvm::Instruction &Load);

} // namespace gasan

#endif
