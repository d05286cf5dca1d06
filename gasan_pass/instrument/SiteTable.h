// Collects the module's sites and writes them as the blob that base/sites.h describes.
#ifndef GASAN_PASS_INSTRUMENT_SITETABLE_H
#define GASAN_PASS_INSTRUMENT_SITETABLE_H

#include "base/sites.h"
#include "gasan_pass/instrument/Access.h"
#include "gasan_pass/instrument/Reach.h"
#include "llvm/ADT/StringMap.h"
#include <map>
#include <string>
#include <vector>

namespace gasan {

class SiteTable {
public:
  // The call graph is read here: before anything is inserted.
  explicit SiteTable(llvm::Module &M);

  // The index of the access's site. Accesses that a report could not tell apart share one (copies of an unrolled loop).
  uint32_t add(const Access &A);
  void addUnchecked(unsigned Count) { Unchecked += Count; }

  // Defines GASAN_SITES_SYMBOL in the module.
  void emit(unsigned ShadowScale);

private:
  using Frame = std::array<uint32_t, 4>; // struct gasan_frame, comparable
  using SiteKey = std::array<uint32_t, 5>;

  llvm::Module &M;
  Reach Calls;
  uint32_t Unchecked = 0;
  std::string Strings;
  llvm::StringMap<uint32_t> StringOffsets;
  std::vector<gasan_site> Sites;
  std::map<SiteKey, uint32_t> SiteIndices;
  std::vector<Frame> Frames;
  std::map<std::vector<Frame>, uint32_t> FrameIndices;
  std::vector<uint32_t> ReachWords;
  std::map<std::vector<uint32_t>, uint32_t> ReachOffsets;
  llvm::DenseMap<const llvm::Function *, uint32_t> FunctionReach;

  uint32_t string(llvm::StringRef Text);
  uint32_t reach(const llvm::Function &F);
  uint32_t frames(const std::vector<Frame> &Stack);
  std::vector<Frame> stackOf(const llvm::Instruction &I);
  std::vector<gasan_kernel_entry> kernelEntries();
};

} // namespace gasan

#endif
