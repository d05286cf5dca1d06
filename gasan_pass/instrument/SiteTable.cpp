// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/SiteTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace gasan {

// Removes suffixes that the optimiser and clang add (".cold", "__intern__1f2e") and that the source's name does not
// have.
static std::string prettyName(StringRef Symbol) {
  if (Symbol.starts_with("_Z"))
    Symbol = Symbol.substr(0, Symbol.find('.')).split("__intern__").first;
  return demangle(Symbol);
}

static std::string prettyName(const DISubprogram &Subprogram) {
  StringRef Linkage = Subprogram.getLinkageName();
  return Linkage.empty() ? Subprogram.getName().str() : prettyName(Linkage);
}

std::string sourcePath(StringRef File, StringRef Directory) {
  if (File.empty() || sys::path::is_absolute(File) || Directory.empty())
    return File.str();
  SmallString<128> Path(Directory);
  sys::path::append(Path, File);
  return Path.str().str();
}

StringRef symbolInSource(const Function &F) {
  return F.hasFnAttribute(kCopyAttr) ? F.getFnAttribute(kCopyAttr).getValueAsString() : F.getName();
}

SiteTable::SiteTable(Module &M) : M(M), Calls(M) {}

uint32_t SiteTable::reach(const Function &F) {
  if (F.hasFnAttribute(kCopyAttr))
    return reach(*M.getFunction(symbolInSource(F)));
  auto [Known, NewFunction] = FunctionReach.try_emplace(&F, 0);
  if (!NewFunction)
    return Known->second;
  const std::vector<uint32_t> &Kernels = Calls.kernelsThatReach(F);
  auto [Entry, New] = ReachOffsets.try_emplace(Kernels, ReachWords.size());
  if (New) {
    ReachWords.push_back(Kernels.size());
    ReachWords.insert(ReachWords.end(), Kernels.begin(), Kernels.end());
  }
  return Known->second = Entry->second;
}

uint32_t SiteTable::frames(const std::vector<Frame> &Stack) {
  auto [Entry, New] = FrameIndices.try_emplace(Stack, Frames.size());
  if (New)
    Frames.insert(Frames.end(), Stack.begin(), Stack.end());
  return Entry->second;
}

// Returns the inlined frames of I, innermost first. Without a debug location, the only frame is the function's name.
std::vector<SiteTable::Frame> SiteTable::stackOf(const Instruction &I) {
  std::vector<Frame> Stack;
  for (const DILocation *Location = I.getDebugLoc(); Location && Stack.size() < UINT16_MAX;
       Location = Location->getInlinedAt())
    Stack.push_back({string(prettyName(*Location->getScope()->getSubprogram())),
                     string(sourcePath(Location->getFilename(), Location->getDirectory())), Location->getLine(),
                     Location->getColumn()});
  if (!Stack.empty())
    return Stack;
  const DISubprogram *Function = I.getFunction()->getSubprogram();
  std::string File = Function ? sourcePath(Function->getFilename(), Function->getDirectory()) : "";
  Stack.push_back({string(prettyName(symbolInSource(*I.getFunction()))), string(File), 0, 0});
  return Stack;
}

uint32_t SiteTable::add(const Access &A) {
  std::vector<Frame> Stack = stackOf(*A.Where);
  gasan_site Site = {};
  Site.first_frame = frames(Stack);
  Site.frame_count = Stack.size();
  Site.access = A.Kind;
  Site.size = A.Size <= UINT32_MAX ? A.Size : 0;
  Site.reach = reach(*A.Where->getFunction());
  SiteKey Key = {Site.first_frame, Site.frame_count, Site.access, Site.size, Site.reach};
  auto [Entry, New] = SiteIndices.try_emplace(Key, Sites.size());
  if (New)
    Sites.push_back(Site);
  return Entry->second;
}

uint32_t SiteTable::addObject(const SourceObject &Source) {
  gasan_object Object = {};
  Object.name = string(Source.Name);
  Object.function = string(prettyName(Source.Function));
  Object.file = string(Source.File);
  Object.line = Source.Line;
  Object.size = Source.Size;
  Object.kind = Source.Kind;
  ObjectKey Key = {Object.name, Object.function, Object.file, Object.line, Object.size, Object.kind};
  auto [Entry, New] = ObjectNumbers.try_emplace(Key, Objects.size() + 1);
  if (New)
    Objects.push_back(Object);
  return Entry->second;
}

std::vector<gasan_kernel_entry> SiteTable::kernelEntries() {
  std::vector<gasan_kernel_entry> Kernels;
  for (auto [Index, Kernel] : enumerate(Calls.kernels()))
    Kernels.push_back({string(Kernel->getName()), string(prettyName(Kernel->getName()) + KernelTitle), 0,
                       Calls.hasUnknownStack(Index) ? GASAN_KERNEL_UNKNOWN_STACK : 0u});
  for (const gasan_site &Site : Sites) {
    const uint32_t *Reach = &ReachWords[Site.reach];
    for (uint32_t Index = 1; Index <= Reach[0]; ++Index)
      ++Kernels[Reach[Index]].site_count;
  }
  return Kernels;
}

void SiteTable::emit(unsigned ShadowScale, gasan_code Code) {
  std::vector<gasan_kernel_entry> Kernels = kernelEntries(); // adds strings
  gasan_site_table Header = {};
  std::string Blob(sizeof Header, '\0');
  Header.magic = GASAN_SITES_MAGIC;
  Header.abi_version = GASAN_ABI_VERSION;
  Header.shadow_scale = ShadowScale;
  Header.code = Code;
  Header.object_count = Objects.size();
  // first, because its members are the widest
  Header.objects_offset = appendToBlob(Blob, Objects.data(), Objects.size());
  Header.site_count = Sites.size();
  Header.sites_offset = appendToBlob(Blob, Sites.data(), Sites.size());
  Header.frame_count = Frames.size();
  Header.frames_offset = appendToBlob(Blob, Frames.data(), Frames.size());
  Header.kernel_count = Kernels.size();
  Header.kernels_offset = appendToBlob(Blob, Kernels.data(), Kernels.size());
  Header.reach_words = ReachWords.size();
  Header.reach_offset = appendToBlob(Blob, ReachWords.data(), ReachWords.size());
  Header.strings_size = Strings.bytes().size();
  Header.strings_offset = appendToBlob(Blob, Strings.bytes().data(), Strings.bytes().size());
  Header.unchecked_count = Unchecked;
  Header.total_size = Blob.size();
  memcpy(Blob.data(), &Header, sizeof Header);
  defineBlob(M, GASAN_SITES_SYMBOL, Blob);
}

} // namespace gasan
