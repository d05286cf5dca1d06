/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Arrays in structures, which an index must not leave although the memory goes on. The rules are those of gasan's
// checks (gasan_pass/instrument/bst/FieldChecks.cpp): only `object.array[i]` is compared, no pointer into the array.
#ifndef GASAN_SCAN_FIELDS_H
#define GASAN_SCAN_FIELDS_H

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

namespace gasan::scan {

// An array field, and the steps from its begin to an accessed address, last step first.
struct Field {
  const llvm::StructType *Record;
  unsigned Number;
  std::vector<const llvm::GEPOperator *> Steps;
};

class Fields {
public:
  explicit Fields(const llvm::Module &Code);

  // Returns the fields through which an address was computed, innermost first: for `a.b[i].c[j]`, c and then b.
  std::vector<Field> of(const llvm::Value &Address) const;
  // "Record::values"
  std::string name(const Field &Of) const;
  uint64_t size(const Field &Of) const;

private:
  bool findMember(const llvm::GEPOperator &Subscript, Field &Result) const;

  const llvm::DataLayout &Layout;
  llvm::StringMap<std::vector<const llvm::DICompositeType *>> Records; // by name, without scopes and template arguments
};

} // namespace gasan::scan

#endif
