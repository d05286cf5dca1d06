// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits the tables of device/cpu/image.h.
#include "base/abi.h"
#include "device/cpu/image.h"
#include "gasan_pass/Options.h"
#include "gasan_pass/retarget/Steps.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace gasan {

namespace {

// Runs before every constructor of the program: those may launch kernels.
constexpr int kConstructorPriority = 101;

uint32_t flagsOf(const Image &Device) {
  return (Device.HostChecks ? GASAN_CPU_IMAGE_HOST_CHECKS : 0) | (Device.Bounds ? GASAN_CPU_IMAGE_BOUNDS : 0) |
         (Device.Tags ? GASAN_CPU_IMAGE_TAGS : 0) | (Devices == "cpu" ? GASAN_CPU_IMAGE_ONLY_CPU : 0) |
         (Devices == "cuda" ? GASAN_CPU_IMAGE_ONLY_CUDA : 0);
}

class Tables {
public:
  explicit Tables(Module &M) : M(M), Builder(M.getContext()), Pointer(Builder.getPtrTy()) {}

  GlobalVariable *image(const Image &Device, ArrayRef<KernelEntries> Entries, StringRef Id) {
    Constant *Kernels = kernels(Device, Entries);
    Constant *Variables = variables(Device);
    return global(structure({Builder.getInt64(GASAN_CPU_IMAGE_MAGIC), Builder.getInt32(GASAN_ABI_VERSION),
                             Builder.getInt32(Device.Arch), string(Id), Builder.getInt32(Device.Kernels.size()),
                             Builder.getInt32(Device.Variables.size()), Kernels, Variables,
                             Builder.getInt32(flagsOf(Device)), Builder.getInt32(Device.ShadowScale)}),
                  "gasan.image");
  }

private:
  Constant *kernels(const Image &Device, ArrayRef<KernelEntries> Entries) {
    SmallVector<Constant *, 16> Rows;
    for (auto [K, E] : zip_equal(Device.Kernels, Entries)) {
      const unsigned Flags = E.UsesActiveMask ? GASAN_CPU_KERNEL_ACTIVEMASK : 0;
      Constant *Block = E.Block ? static_cast<Constant *>(E.Block) : ConstantPointerNull::get(Pointer);
      Rows.push_back(
          structure({string(K.Name), E.Thread, Block, parameterSizes(*K.Body), Builder.getInt32(K.Body->arg_size()),
                     Builder.getInt32(Flags), Builder.getInt64(K.StaticShared), Builder.getInt64(K.DynamicSharedOffset),
                     Builder.getInt32(K.MaxThreads), Builder.getInt32(0)}));
    }
    return array(Rows, "gasan.kernels");
  }

  Constant *variables(const Image &Device) {
    SmallVector<Constant *, 16> Rows;
    for (const Variable &V : Device.Variables)
      Rows.push_back(structure({string(V.Name), ConstantExpr::getPointerBitCastOrAddrSpaceCast(V.Global, Pointer),
                                Builder.getInt64(sizeOf(V.Global->getValueType()))}));
    return array(Rows, "gasan.variables");
  }

  Constant *parameterSizes(const Function &Kernel) {
    SmallVector<Constant *, 8> Sizes;
    for (const Argument &A : Kernel.args())
      Sizes.push_back(Builder.getInt32(sizeOf(A.hasByValAttr() ? A.getParamByValType() : A.getType())));
    return array(Sizes, "gasan.parameter_sizes");
  }

  uint64_t sizeOf(Type *T) const { return M.getDataLayout().getTypeAllocSize(T); }

  Constant *structure(ArrayRef<Constant *> Members) { return ConstantStruct::getAnon(Members); }

  Constant *array(ArrayRef<Constant *> Rows, const char *Name) {
    if (Rows.empty())
      return ConstantPointerNull::get(Pointer);
    return global(ConstantArray::get(ArrayType::get(Rows[0]->getType(), Rows.size()), Rows), Name);
  }

  Constant *string(StringRef Text) {
    return global(ConstantDataArray::getString(M.getContext(), Text), "gasan.string");
  }

  GlobalVariable *global(Constant *Initialiser, const char *Name) {
    auto *G = new GlobalVariable(M, Initialiser->getType(), /*isConstant=*/true, GlobalValue::InternalLinkage,
                                 Initialiser, Name);
    G->setDSOLocal(true);
    return G;
  }

  Module &M;
  IRBuilder<> Builder;
  PointerType *Pointer;
};

// Describes the checks for the driver, which reads the objects of a link.
void noteChecks(Module &M, const Image &Device) {
  LLVMContext &Context = M.getContext();
  Constant *Byte =
      ConstantInt::get(Type::getInt8Ty(Context), Device.ShadowScale | (Device.Tags ? GASAN_CPU_NOTE_TAGS : 0));
  auto *Note =
      new GlobalVariable(M, Byte->getType(), /*isConstant=*/true, GlobalValue::InternalLinkage, Byte, "gasan.checks");
  Note->setSection(GASAN_CPU_NOTE_SECTION);
  Note->setMetadata(LLVMContext::MD_exclude, MDNode::get(Context, {}));
  appendToCompilerUsed(M, {Note});
}

} // namespace

void emitImage(Module &M, const Image &Device, ArrayRef<KernelEntries> Entries, StringRef Id) {
  GlobalVariable *Image = Tables(M).image(Device, Entries, Id);
  if (Device.ShadowScale || Device.Bounds)
    noteChecks(M, Device);
  LLVMContext &Context = M.getContext();
  Type *Void = Type::getVoidTy(Context);
  Type *Int = Type::getInt32Ty(Context), *Pointer = PointerType::getUnqual(Context);
  // The C library calls constructors with main's arguments.
  auto *Constructor = Function::Create(FunctionType::get(Void, {Int, Pointer}, false), GlobalValue::InternalLinkage,
                                       "gasan.register", M);
  Constructor->setDSOLocal(true);
  IRBuilder<> Builder(BasicBlock::Create(Context, "", Constructor));
  Builder.CreateCall(M.getOrInsertFunction("gasan_register_image", Void, Pointer, Pointer, Pointer),
                     {Image, Builder.CreateGlobalString(CpuRuntime, "gasan.runtime", 0, &M), Constructor->getArg(1)});
  Builder.CreateRetVoid();
  appendToGlobalCtors(M, Constructor, kConstructorPriority);
}

} // namespace gasan
