/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Finds the source names of a struct type's fields. Debug info and LLVM's types share only name, size and offsets.
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

  // Returns the field's name, file, line and size. A record without debug info is named by its LLVM type.
  SourceObject describe(const llvm::StructType &Record, unsigned Field) const;

private:
  const llvm::DataLayout &DL;
  llvm::StringMap<llvm::SmallVector<const llvm::DICompositeType *, 1>>
      Records; // by qualified name, without template arguments
};

} // namespace gasan

#endif
