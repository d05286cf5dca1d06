// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the containers in which nvcc embeds code: a header, and entries of PTX and cubins for architectures.
#ifndef GASAN_PASS_TOOL_FAT_BINARY_H
#define GASAN_PASS_TOOL_FAT_BINARY_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace gasan {

// Sets Text to the PTX for the newest architecture that a GPU of this architecture (sm_90, say) can run. The file is a
// container, several ones in a row, or PTX, which is returned as it is. Returns false and a reason if there is none.
bool extractPtx(const std::string &Path, llvm::StringRef Architecture, std::string &Text, std::string &Error);

// The same for bytes in memory.
bool extractPtxFrom(llvm::StringRef Bytes, llvm::StringRef Architecture, std::string &Text, std::string &Error);

} // namespace gasan

#endif
