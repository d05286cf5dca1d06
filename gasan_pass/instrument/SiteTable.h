/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Collects the module's sites, and writes them as the blob that base/sites.h describes.
#ifndef GASAN_PASS_INSTRUMENT_SITETABLE_H
#define GASAN_PASS_INSTRUMENT_SITETABLE_H

#include "base/sites.h"
#include "gasan_pass/instrument/Access.h"
#include "gasan_pass/instrument/Blob.h"
#include "gasan_pass/instrument/Reach.h"
#include <map>
#include <string>
#include <vector>

namespace gasan {

// -gasan-kernel-title=TEXT: reports print it behind the names of kernels, for example their meta-parameters.
extern llvm::cl::opt<std::string> KernelTitle;

// A variable, or an array inside of a variable, as reports name it (struct gasan_object).
struct SourceObject {
  std::string Name;
  std::string Function; // for local variables: the function's symbol or its demangled name
  std::string File;
  uint32_t Line = 0;
  uint64_t Size = 0; // 0: known only at run time
  gasan_object_kind Kind = GASAN_OBJECT_KIND_GLOBAL;
};

// Returns the path that reports print. It is absolute if the debug info has the folder.
std::string sourcePath(llvm::StringRef File, llvm::StringRef Directory);

// A function with this string attribute is a copy of the function that the attribute names (proof/KernelVariants.h).
// Reports name the original function.
constexpr const char *kCopyAttr = "gasan-copy-of";
llvm::StringRef symbolInSource(const llvm::Function &F);

class SiteTable {
public:
  // Reads the call graph. Must be called before anything is inserted.
  explicit SiteTable(llvm::Module &M);

  // Returns the index of the access's site. Accesses that a report cannot distinguish, such as copies in an unrolled
  // loop, share a site.
  uint32_t add(const Access &A);
  void addUnchecked(unsigned Count) { Unchecked += Count; }

  // Returns the number that checks use for the object: its index in the table, counted from 1. Equal objects share a
  // number.
  uint32_t addObject(const SourceObject &Object);

  const Reach &calls() const { return Calls; }

  // Defines GASAN_SITES_SYMBOL in the module.
  void emit(unsigned ShadowScale, gasan_code Code);

private:
  using Frame = std::array<uint32_t, 4>; // struct gasan_frame, comparable
  using SiteKey = std::array<uint32_t, 5>;
  using ObjectKey = std::array<uint64_t, 6>;

  llvm::Module &M;
  Reach Calls;
  uint32_t Unchecked = 0;
  BlobStrings Strings;
  std::vector<gasan_site> Sites;
  std::map<SiteKey, uint32_t> SiteIndices;
  std::vector<gasan_object> Objects;
  std::map<ObjectKey, uint32_t> ObjectNumbers;
  std::vector<Frame> Frames;
  std::map<std::vector<Frame>, uint32_t> FrameIndices;
  std::vector<uint32_t> ReachWords;
  std::map<std::vector<uint32_t>, uint32_t> ReachOffsets;
  llvm::DenseMap<const llvm::Function *, uint32_t> FunctionReach;

  uint32_t string(llvm::StringRef Text) { return Strings.offset(Text); }
  uint32_t reach(const llvm::Function &F);
  uint32_t frames(const std::vector<Frame> &Stack);
  std::vector<Frame> stackOf(const llvm::Instruction &I);
  std::vector<gasan_kernel_entry> kernelEntries();
};

} // namespace gasan

#endif
