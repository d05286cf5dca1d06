/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Checks for overflow from an array into its neighbour inside the same object: `record->values[i]`.
//
// Only the source type has the array's end, and the optimiser drops that type. So the subscript is compared at
// PipelineStart, before each load, store, atomic or copy of one element whose address is `object.field[index]...`. The
// report is a call in a cold block. No marker call is carried to the end of the pipeline, because SROA, for example,
// does not look through calls, whereas a comparison of integers hinders no optimisation. The optimiser removes the
// comparisons that it can prove, such as those of an unrolled loop.
//
// The following are not compared: addresses that are not accessed right there (`&record->values[n]`, a stored pointer,
// an argument to a function other than CUDA's atomics), members of unions, flexible array members, and an array of one
// element at the end of its struct.
#ifndef GASAN_PASS_INSTRUMENT_BST_FIELDCHECKS_H
#define GASAN_PASS_INSTRUMENT_BST_FIELDCHECKS_H

#include "llvm/IR/PassManager.h"

namespace gasan {

// Runs before NameVariablesPass, which drops the names of the fields.
struct FieldChecksPass : llvm::PassInfoMixin<FieldChecksPass> {
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace gasan

#endif
