// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/bst/FieldNames.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfo.h"

using namespace llvm;

namespace gasan {
namespace {

std::string qualifiedName(const DIType &Type, bool WithArguments) {
  StringRef Name = Type.getName();
  std::string Result = WithArguments ? Name.str() : Name.split('<').first.str();
  for (const DIScope *Scope = Type.getScope(); Scope; Scope = Scope->getScope()) {
    if (!isa<DINamespace, DICompositeType>(Scope) || Scope->getName().empty())
      continue;
    StringRef Outer = Scope->getName();
    Result = ((WithArguments ? Outer : Outer.split('<').first) + "::" + Result).str();
  }
  return Result;
}

// Returns the name in the source of "struct.name::of::Record.17". LLVM numbers types that would have the same name.
StringRef nameInSource(const StructType &Record) {
  StringRef Name = Record.hasName() ? Record.getName().split('.').second : "";
  auto [Rest, Number] = Name.rsplit('.');
  return !Number.empty() && all_of(Number, isDigit) ? Rest : Name;
}

const DIDerivedType *memberAt(const DICompositeType &Record, uint64_t Offset, uint64_t Size) {
  for (const DINode *Element : Record.getElements()) {
    const auto *Member = dyn_cast_or_null<DIDerivedType>(Element);
    if (Member && Member->getTag() == dwarf::DW_TAG_member && !Member->isStaticMember() &&
        Member->getOffsetInBits() == 8 * Offset && Member->getSizeInBits() == 8 * Size)
      return Member;
  }
  return nullptr;
}

} // namespace

FieldNames::FieldNames(const Module &M) : DL(M.getDataLayout()) {
  DebugInfoFinder Finder;
  Finder.processModule(M);
  for (const DIType *Type : Finder.types())
    if (const auto *Record = dyn_cast<DICompositeType>(Type);
        Record && (Record->getTag() == dwarf::DW_TAG_structure_type || Record->getTag() == dwarf::DW_TAG_class_type))
      Records[qualifiedName(*Record, /*WithArguments=*/false)].push_back(Record);
}

SourceObject FieldNames::describe(const StructType &Record, unsigned Field) const {
  StringRef Name = nameInSource(Record);
  const StructLayout &Layout = *DL.getStructLayout(const_cast<StructType *>(&Record));
  SourceObject Object;
  Object.Kind = GASAN_OBJECT_KIND_FIELD;
  Object.Size = DL.getTypeAllocSize(Record.getElementType(Field));
  auto Known = Records.find(Name == "anon" ? "" : Name);
  if (Known != Records.end())
    for (const DICompositeType *Candidate : Known->second)
      if (const DIDerivedType *Member = memberAt(*Candidate, Layout.getElementOffset(Field), Object.Size)) {
        std::string Prefix = qualifiedName(*Candidate, /*WithArguments=*/true);
        Object.Name = Prefix.empty() ? Member->getName().str() : Prefix + "::" + Member->getName().str();
        if (const DIFile *File = Member->getFile())
          Object.File = sourcePath(File->getFilename(), File->getDirectory());
        Object.Line = Member->getLine();
        return Object;
      }
  Object.Name = ((Name.empty() ? "<unknown record>" : Name) + "::<unknown field>").str();
  return Object;
}

} // namespace gasan
