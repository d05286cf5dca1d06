/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Writes tables into the module for the host: structs of base/, copied byte by byte.
#ifndef GASAN_PASS_INSTRUMENT_BLOB_H
#define GASAN_PASS_INSTRUMENT_BLOB_H

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Module.h"
#include <string>

namespace gasan {

static_assert(llvm::sys::IsLittleEndianHost, "the tables' structs are copied into the image as they are");

// A blob's NUL-terminated strings, each stored once. Offset 0 is "".
class BlobStrings {
public:
  BlobStrings() { offset(""); }
  uint32_t offset(llvm::StringRef Text);
  const std::string &bytes() const { return Bytes; }

private:
  std::string Bytes;
  llvm::StringMap<uint32_t> Offsets;
};

// Appends the elements, and returns their offset in the blob.
template <typename Element>
uint32_t appendToBlob(std::string &Blob, const Element *Elements, size_t Count) {
  uint32_t Offset = Blob.size();
  Blob.append(reinterpret_cast<const char *>(Elements), Count * sizeof(Element));
  return Offset;
}

// Defines a constant that the host finds by its symbol.
void defineBlob(llvm::Module &M, llvm::StringRef Symbol, llvm::StringRef Bytes);

} // namespace gasan

#endif
