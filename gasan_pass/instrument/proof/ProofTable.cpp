// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the claims as the blob that base/proof_table.h describes.
#include "gasan_pass/Options.h"
#include "gasan_pass/instrument/Blob.h"
#include "gasan_pass/instrument/proof/KernelVariants.h"
#include "gasan_pass/instrument/proof/TableReads.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace gasan {

std::vector<gasan_proof_argument> argumentsOf(const Function &Kernel) {
  const DataLayout &DL = Kernel.getDataLayout();
  std::vector<gasan_proof_argument> Result;
  uint64_t End = 0;
  for (const Argument &A : Kernel.args()) {
    Type *Passed = A.hasByValAttr() ? A.getParamByValType() : A.getType();
    const uint64_t Size = DL.getTypeAllocSize(Passed);
    const Align Alignment =
        A.hasByValAttr() ? A.getParamAlign().value_or(DL.getABITypeAlign(Passed)) : DL.getABITypeAlign(Passed);
    End = alignTo(End, Alignment);
    Result.push_back({uint32_t(End), uint32_t(Size), /*name=*/0});
    End += Size;
  }
  return Result;
}

void KernelVariants::emitTable() {
  BlobStrings Strings;
  std::vector<gasan_proof_kernel> Entries;
  std::vector<gasan_proof_argument> Arguments;
  std::vector<gasan_claim> Claims;
  std::vector<gasan_proof_node> Nodes;
  std::vector<gasan_hidden> Hidden;
  std::vector<gasan_loaded> Loaded;
  auto Add = [](auto &All, const auto &Own, uint32_t &First, uint32_t &Count) {
    First = All.size();
    Count = Own.size();
    All.insert(All.end(), Own.begin(), Own.end());
  };
  for (const Kernel &K : Kernels) {
    std::vector<gasan_claim> Own = K.Proof->claims();
    std::vector<Node> Roots;
    Roots.reserve(Own.size());
    for (const gasan_claim &Claim : Own)
      Roots.push_back(Claim.node);
    const std::vector<gasan_proof_node> Program = K.Proof->program().reachable(Roots);
    for (auto [Claim, Root] : zip(Own, Roots))
      Claim.node = Root;
    gasan_proof_kernel Entry = {};
    Entry.name = Strings.offset(K.Full->getName());
    Entry.kept_checks = K.Proof->keptChecks() + K.KeptInCalls;
    std::vector<gasan_proof_argument> Passed = argumentsOf(*K.Full);
    for (auto [Argument, A] : zip(Passed, K.Full->args()))
      Argument.name = Strings.offset(A.getName());
    Add(Arguments, Passed, Entry.first_argument, Entry.argument_count);
    Add(Claims, Own, Entry.first_claim, Entry.claim_count);
    Add(Nodes, Program, Entry.first_node, Entry.node_count);
    Add(Hidden, K.Proven.Arguments.Entries, Entry.first_hidden, Entry.hidden_count);
    Add(Hidden, K.Bounded.Arguments.Entries, Entry.first_bounded, Entry.bounded_count);
    Entry.has_bounded = K.Bounded.Code != nullptr;
    if (looksUp(*K.Proven.Code))
      Entry.looks_up |= GASAN_PROOF_PROVEN_LOOKS_UP;
    if (K.Bounded.Code && looksUp(*K.Bounded.Code))
      Entry.looks_up |= GASAN_PROOF_BOUNDED_LOOKS_UP;
    for (gasan_loaded Index : K.Proof->loadedIndices()) {
      Index.kernel = Entries.size();
      Loaded.push_back(Index);
    }
    Entries.push_back(Entry);
    if (PrintProofs && !(Entry.looks_up & GASAN_PROOF_PROVEN_LOOKS_UP))
      errs() << "gasan: kernel " << K.Full->getName() << " looks no bounds up in proven launches\n";
  }
  gasan_proof_table Header = {};
  std::string Blob(sizeof Header, '\0');
  Header.magic = GASAN_PROOFS_MAGIC;
  Header.abi_version = GASAN_ABI_VERSION;
  Header.claim_count = Claims.size();
  Header.claims_offset = appendToBlob(Blob, Claims.data(), Claims.size()); // first, because its members are the widest
  if (!Loaded.empty()) {
    const gasan_loaded_header Count = {uint32_t(Loaded.size()), 0};
    Header.loaded_offset = appendToBlob(Blob, &Count, 1);
    appendToBlob(Blob, Loaded.data(), Loaded.size());
  }
  Header.node_count = Nodes.size();
  Header.nodes_offset = appendToBlob(Blob, Nodes.data(), Nodes.size());
  Header.hidden_count = Hidden.size();
  Header.hidden_offset = appendToBlob(Blob, Hidden.data(), Hidden.size());
  Header.kernel_count = Entries.size();
  Header.kernels_offset = appendToBlob(Blob, Entries.data(), Entries.size());
  Header.argument_count = Arguments.size();
  Header.arguments_offset = appendToBlob(Blob, Arguments.data(), Arguments.size());
  Header.strings_size = Strings.bytes().size();
  Header.strings_offset = appendToBlob(Blob, Strings.bytes().data(), Strings.bytes().size());
  Header.total_size = Blob.size();
  memcpy(Blob.data(), &Header, sizeof Header);
  defineBlob(M, GASAN_PROOFS_SYMBOL, Blob);
}

} // namespace gasan
