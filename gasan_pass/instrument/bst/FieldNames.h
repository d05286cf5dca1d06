/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// What the source calls the fields of a struct type: debug info and LLVM's types meet by name, size and offset only.
#ifndef GASAN_PASS_INSTRUMENT_BST_FIELDNAMES_H
#define GASAN_PASS_INSTRUMENT_BST_FIELDNAMES_H

#include "gasan_pass/instrument/SiteTable.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Module.h"

namespace gasan {

class FieldNames {
public:
  explicit FieldNames(const llvm::Module &M);

  // Name, file, line and size. A record that the debug info does not know is named as LLVM names it.
  SourceObject describe(const llvm::StructType &Record, unsigned Field) const;

private:
  const llvm::DataLayout &DL;
  llvm::StringMap<llvm::SmallVector<const llvm::DICompositeType *, 1>>
      Records; // by qualified name, without template arguments
};

} // namespace gasan

#endif
