// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collects the module's data for the host: kernels, variables, compute capability.
#include "base/abi.h"
#include "base/proof_table.h"
#include "base/sites.h"
#include "gasan_pass/retarget/Steps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/ConstantFolding.h"

using namespace llvm;

namespace gasan {

namespace {

// NVPTX's address spaces of variables
constexpr unsigned kGlobalSpace = 1, kConstantSpace = 4;

unsigned archOf(const Function &F) {
  StringRef Cpu = F.getFnAttribute("target-cpu").getValueAsString();
  unsigned Arch = 0;
  if (!Cpu.consume_front("sm_") || Cpu.consumeInteger(10, Arch))
    return 0;
  return Arch;
}

// "256" or "16,16,1"
unsigned threadsOf(const Function &F, StringRef Attribute) {
  StringRef Text = F.getFnAttribute(Attribute).getValueAsString();
  if (Text.empty())
    return 0;
  unsigned Threads = 1;
  for (StringRef Part : split(Text, ',')) {
    unsigned Extent = 0;
    if (Part.trim().getAsInteger(10, Extent))
      return 0;
    Threads *= Extent;
  }
  return Threads;
}

// Returns true for the tables that the pass itself defines.
bool isTable(const GlobalVariable &G) {
  return G.getName() == GASAN_SITES_SYMBOL || G.getName() == GASAN_PROOFS_SYMBOL;
}

bool isHostVisible(const GlobalVariable &G) {
  if (G.isDeclaration() || (G.getAddressSpace() != kGlobalSpace && G.getAddressSpace() != kConstantSpace))
    return false;
  return G.isExternallyInitialized() || G.getName() == GASAN_PARAMS_SYMBOL || isTable(G);
}

// Reads a member of a table of the instrumentation. 0: the table is missing.
uint32_t readMember(Module &M, StringRef Symbol, uint64_t Offset) {
  GlobalVariable *Variable = M.getNamedGlobal(Symbol);
  if (!Variable || !Variable->hasInitializer())
    return 0;
  auto *Member = dyn_cast_or_null<ConstantInt>(ConstantFoldLoadFromConst(
      Variable->getInitializer(), Type::getInt32Ty(M.getContext()), APInt(64, Offset), M.getDataLayout()));
  return Member ? Member->getZExtValue() : 0;
}

} // namespace

bool isDeviceModule(const Module &M) {
  if (M.getTargetTriple().isNVPTX())
    return true;
  // clang sets the host's triple before the pass runs. A module with variables only has no processor.
  if (M.getNamedGlobal(GASAN_SITES_SYMBOL))
    return true;
  return any_of(M, [](const Function &F) { return F.getCallingConv() == CallingConv::PTX_Kernel || archOf(F) != 0; });
}

Image collectImage(Module &M) {
  Image Device;
  Device.ShadowScale = readMember(M, GASAN_SITES_SYMBOL, offsetof(gasan_site_table, shadow_scale));
  Device.Bounds = readMember(M, GASAN_PARAMS_SYMBOL, offsetof(gasan_params, code)) == GASAN_CODE_BST;
  Device.Tags = readMember(M, GASAN_PARAMS_SYMBOL, offsetof(gasan_params, flags)) & GASAN_FLAG_TAGS;
  for (Function &F : M) {
    Device.Arch = std::max(Device.Arch, archOf(F));
    if (F.isDeclaration() || F.getCallingConv() != CallingConv::PTX_Kernel)
      continue;
    unsigned Max = threadsOf(F, "nvvm.maxntid"), Required = threadsOf(F, "nvvm.reqntid");
    Device.Kernels.push_back({&F, F.getName().str(), 0, 0, Required ? Required : Max});
  }
  for (GlobalVariable &G : M.globals()) {
    if (!isHostVisible(G))
      continue;
    Device.Variables.push_back({&G, G.getName().str()});
    // The host may write it (cudaMemcpyToSymbol), so its initial value must not be folded.
    if (!isTable(G)) {
      G.setConstant(false);
      G.setExternallyInitialized(true);
    }
  }
  return Device;
}

void removeCode(Module &M, Image &Device) {
  Device.Kernels.clear();
  for (Function &F : make_early_inc_range(M)) {
    F.deleteBody();
    F.replaceAllUsesWith(ConstantPointerNull::get(F.getType()));
    F.eraseFromParent();
  }
}

} // namespace gasan
