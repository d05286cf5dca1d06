// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/lift/DebugLines.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace gasan::lift {

DebugLines::DebugLines(Module &M, const SyntaxTree &Tree) : M(M), Tree(Tree), Builder(M) {
  if (Tree.Files.empty())
    return;
  Unit = Builder.createCompileUnit(DISourceLanguageName(dwarf::DW_LANG_C_plus_plus_14),
                                   fileOf(Tree.Files.begin()->first), "gasan",
                                   /*isOptimized=*/true, "", 0, "", DICompileUnit::DebugDirectivesOnly);
  M.addModuleFlag(Module::Warning, "Debug Info Version", DEBUG_METADATA_VERSION);
}

DIFile *DebugLines::fileOf(unsigned Number) {
  DIFile *&File = Files[Number];
  if (!File) {
    auto Found = Tree.Files.find(Number);
    const std::string Path = Found == Tree.Files.end() ? "<unknown>" : Found->second;
    File = Builder.createFile(sys::path::filename(Path), sys::path::parent_path(Path));
  }
  return File;
}

// The name without parameters and scopes, as clang's debug information has it.
static std::string shortName(StringRef Symbol) {
  ItaniumPartialDemangler Demangler;
  const std::string Mangled = Symbol.str();
  if (Demangler.partialDemangle(Mangled.c_str()))
    return Mangled;
  size_t Size = 0;
  char *Text = Demangler.getFunctionBaseName(nullptr, &Size);
  std::string Name = Text ? Text : Mangled;
  free(Text);
  return Name;
}

DISubprogram *DebugLines::describe(StringRef Symbol, unsigned File, unsigned Line) {
  return Builder.createFunction(fileOf(File), shortName(Symbol), Symbol, fileOf(File), Line,
                                Builder.createSubroutineType(Builder.getOrCreateTypeArray({})), Line,
                                DINode::FlagPrototyped, DISubprogram::SPFlagDefinition | DISubprogram::SPFlagOptimized);
}

void DebugLines::start(llvm::Function &F, const Function &Source) {
  Current = nullptr;
  Seen.clear();
  Calls.clear();
  if (!Unit)
    return;
  for (const Location &L : Source.Places)
    if (L.FunctionLabel.empty() && L.Line) {
      Current = describe(F.getName(), L.File, L.Line);
      F.setSubprogram(Current);
      return;
    }
}

std::string DebugLines::functionName(const Location &L) const {
  auto Found = Tree.DebugLabels.find(L.FunctionLabel);
  if (Found == Tree.DebugLabels.end() || L.FunctionOffset > Tree.DebugStrings.size() - Found->second)
    return "";
  return StringRef(Tree.DebugStrings)
      .drop_front(Found->second + L.FunctionOffset)
      .take_until([](char C) { return C == 0; })
      .str();
}

DebugLoc DebugLines::locate(const Location &L) {
  if (!Current)
    return DebugLoc();
  LLVMContext &Context = M.getContext();
  DILocation *Result = nullptr;
  if (const std::string Name = L.FunctionLabel.empty() ? "" : functionName(L); !Name.empty()) {
    // The place of the call was given before. If not, the function itself is the caller.
    auto Call = Seen.find({L.CallFile, L.CallLine, L.CallColumn});
    DILocation *At = Call != Seen.end() ? Call->second : DILocation::get(Context, L.CallLine, L.CallColumn, Current);
    DISubprogram *&Callee = Inlined[Name];
    if (!Callee)
      Callee = describe(Name, L.File, L.Line);
    DILocation *&Distinct = Calls[{Name, At}];
    if (!Distinct)
      Distinct = DILocation::getDistinct(Context, At->getLine(), At->getColumn(), At->getScope(), At->getInlinedAt());
    DIScope *Scope = Callee;
    if (Callee->getFile() != fileOf(L.File))
      Scope = Builder.createLexicalBlockFile(Callee, fileOf(L.File));
    Result = DILocation::get(Context, L.Line, L.Column, Scope, Distinct);
  } else {
    DIScope *Scope = Current;
    if (Current->getFile() != fileOf(L.File))
      Scope = Builder.createLexicalBlockFile(Current, fileOf(L.File));
    Result = DILocation::get(Context, L.Line, L.Column, Scope);
  }
  Seen[{L.File, L.Line, L.Column}] = Result;
  return DebugLoc(Result);
}

DebugLoc DebugLines::entry() const {
  return Current ? DebugLoc(DILocation::get(M.getContext(), Current->getLine(), 0, Current)) : DebugLoc();
}

void DebugLines::finish() {
  if (Unit)
    Builder.finalize();
}

} // namespace gasan::lift
