/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Removes local copies of structures that a kernel gets by value. nvcc makes such a copy for an array in the structure
// whose index is not a constant, because older GPUs could not read parameters at computed places. The launch proof
// knows the structure's numbers and pointers, and not those of the copy.
#ifndef GASAN_PASS_LIFT_PARAMETERCOPIES_H
#define GASAN_PASS_LIFT_PARAMETERCOPIES_H

namespace llvm {
class Function;
}

namespace gasan::lift {

void removeParameterCopies(llvm::Function &F);

} // namespace gasan::lift

#endif
