/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The hidden arguments of a kernel's variant: bounds, limits and numbers of elements, which the host computes for each
// launch (gasan_hidden in base/proof_table.h). They replace the lookups that are left when the variant is finished.
#ifndef GASAN_PASS_INSTRUMENT_PROOF_VARIANTARGUMENTS_H
#define GASAN_PASS_INSTRUMENT_PROOF_VARIANTARGUMENTS_H

#include "base/proof_table.h"
#include "gasan_pass/instrument/proof/ArgumentPart.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include <vector>

namespace gasan {

// The number of an argument's elements, i64 (gasan_hidden in base/proof_table.h).
struct Elements {
  llvm::Value *Before, *Count;
};

// Returns a kernel's arguments as the host passes them, laid out as the back end lays out the parameters.
std::vector<gasan_proof_argument> argumentsOf(const llvm::Function &Kernel);
uint64_t parameterBytes(const llvm::Function &Kernel);

// Returns the pointer whose bounds the call looks up, or null.
llvm::Value *lookedUp(const llvm::CallInst &Call);

// Copies the metadata by which nvcc and older compilers attach attributes to a kernel.
void copyAnnotations(llvm::Module &M, const llvm::Function &From, llvm::Function &To);

class VariantArguments {
public:
  std::vector<gasan_hidden> Entries;

  // Returns the numbers of elements that the host will pass for this request, as placeholders at At. Root must be one
  // of the variant's arguments. Empty: the variant has too many requests.
  std::optional<Elements> askForElements(llvm::Module &M, llvm::Value &Root, const gasan_hidden &What,
                                         llvm::BasicBlock::iterator At);
  static void dropPlaceholders(llvm::Module &M);

  // Moves the variant's code into a new function, named Prefix and the kernel's name, which has the hidden arguments.
  // With FailedClaims, a call of which is a placeholder, a last argument is the mask of claims that do not hold.
  // Returns the new function; the old one is deleted.
  llvm::Function *take(llvm::Function &Full, llvm::Function &Code, const WrittenBytes &Written, const char *Prefix,
                       const llvm::Value *FailedClaims, bool WithMask);

  void clear();

private:
  // A lookup that hidden arguments replace.
  struct Lookup {
    llvm::CallInst *Call;
    unsigned Entry; // number in Entries
    bool IsInTable;
  };
  // A limit that a hidden argument replaces.
  struct Limit {
    llvm::Value *Old;
    unsigned Entry; // number in Entries
  };

  llvm::SmallVector<std::pair<ArgumentTable, unsigned>, 1> Tables; // with the number of the first entry
  unsigned Asked = 0;                                              // requests for elements and limits

  unsigned entryFor(const gasan_hidden &Entry);
  unsigned entriesFor(const ArgumentTable &Table);
  void hideLimits(const llvm::Function &Full, llvm::CallInst &Call, const ArgumentPart &Part,
                  const WrittenBytes &Written, llvm::SmallVectorImpl<Limit> &Limits);
  llvm::SmallVector<Lookup, 8> hideLookups(const llvm::Function &Full, llvm::Function &Code,
                                           const WrittenBytes &Written, llvm::SmallVectorImpl<Limit> &Limits);
  llvm::SmallVector<unsigned, 8> addParameters(llvm::Function &Full, llvm::Function *&Code, const char *Prefix,
                                               bool WithMask);
};

} // namespace gasan

#endif
