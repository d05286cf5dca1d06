// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/Blob.h"
#include "llvm/IR/Constants.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace gasan {

uint32_t BlobStrings::offset(StringRef Text) {
  auto [Entry, New] = Offsets.try_emplace(Text, Bytes.size());
  if (New)
    Bytes.append(Text.data(), Text.size()).push_back('\0');
  return Entry->second;
}

void defineBlob(Module &M, StringRef Symbol, StringRef Bytes) {
  Constant *Value = ConstantDataArray::getString(M.getContext(), Bytes, /*AddNull=*/false);
  auto *Table = new GlobalVariable(M, Value->getType(), /*isConstant=*/true, GlobalValue::ExternalLinkage, Value,
                                   Symbol, nullptr, GlobalValue::NotThreadLocal, NVPTXAS::ADDRESS_SPACE_GLOBAL);
  Table->setAlignment(Align(8));
  appendToCompilerUsed(M, {Table});
}

} // namespace gasan
