/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Overflow from an array into its neighbour inside of one object: `record->values[i]`.
//
// Only the source type says where the array ends, and the optimiser forgets it. So the subscript is compared at
// PipelineStart, in front of each load, store, atomic or copy of one element whose address is `object.field[index]...`,
// and the report is a call in a cold block. Nothing is carried to the end of the pipeline: a comparison of integers
// hinders no optimisation (SROA, for one, would not look through a marker call), and the optimiser itself removes what
// it proves, such as the subscripts of an unrolled loop.
//
// Not compared are addresses that are not accessed there (`&record->values[n]`, a pointer that is kept, what is passed
// to functions other than CUDA's atomics), members of unions, flexible array members and an array of one element at the
// end of its struct.
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
