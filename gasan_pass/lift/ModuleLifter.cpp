// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/lift/ModuleLifter.h"
#include "gasan_pass/Options.h"
#include "gasan_pass/lift/Types.h"
#include "gasan_pass/lift/WideDivisions.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace gasan::lift {

namespace {

constexpr unsigned kNewestVersion = 90;  // of PTX that LLVM 22 writes
constexpr uint64_t kMostZeros = 1 << 16; // behind an initial value that are members of their own

GlobalValue::LinkageTypes linkageOf(Linkage Link) {
  switch (Link) {
  case Linkage::Local:
    return GlobalValue::InternalLinkage;
  case Linkage::Weak:
    return GlobalValue::WeakODRLinkage;
  case Linkage::Common:
    return GlobalValue::CommonLinkage;
  case Linkage::Visible:
  case Linkage::Extern:
    break;
  }
  return GlobalValue::ExternalLinkage;
}

// Functions whose parameters LLVM and the passes know as pointers, though PTX declares numbers: a letter for the
// result and each parameter.
struct KnownFunction {
  StringRef Name, Signature;
};
constexpr KnownFunction kKnownFunctions[] = {
    {"vprintf", "ipp"}, {"malloc", "pi"}, {"free", "vp"}, {"__assertfail", "vppipi"}};

void declarePointers(Prototype &P, StringRef Name) {
  for (const KnownFunction &Known : kKnownFunctions) {
    if (Known.Name != Name || Known.Signature.size() != P.Parameters.size() + 1)
      continue;
    for (unsigned I = 0; I < P.Parameters.size(); ++I)
      P.Parameters[I].IsPointer = Known.Signature[I + 1] == 'p' && P.Parameters[I].Type.Bits == 64;
    for (Variable &Result : P.Results)
      Result.IsPointer = Known.Signature[0] == 'p' && Result.Type.Bits == 64;
  }
}

// Marks the parameters of a kernel whose names stand outside of brackets: the body takes their addresses.
void findParametersInMemory(Function &Kernel) {
  StringMap<Variable *> Scalars;
  for (Variable &V : Kernel.Type.Parameters)
    if (!isAggregate(V) && V.Space == "param")
      Scalars[V.Name] = &V;
  for (const Item &I : Kernel.Body)
    if (I.What == Item::Kind::Statement && !Scalars.empty())
      for (StringRef Operand : I.Statement.Operands)
        if (Variable *V = Scalars.lookup(Operand.take_until([](char C) { return C == '+' || C == '-'; }).rtrim()))
          V->InMemory = true;
}

} // namespace

ModuleLifter::ModuleLifter(Module &M, SyntaxTree Given) : M(M), Tree(std::move(Given)), Lines(M, Tree) {
  for (Function &F : Tree.Functions)
    if (!F.HasBody)
      declarePointers(F.Type, F.Name);
    else if (F.IsEntry)
      findParametersInMemory(F);
}

void ModuleLifter::fail(unsigned Line, const Twine &Reason) {
  if (Error.empty())
    Error = ("line " + Twine(Line) + ": " + Reason).str();
}

GlobalValue *ModuleLifter::findSymbol(StringRef Name) const {
  return Symbols.lookup(Name);
}

const Variable *ModuleLifter::findVariable(StringRef Name) const {
  const auto Found = find_if(Tree.Variables, [&](const Variable &V) { return V.Name == Name; });
  return Found == Tree.Variables.end() ? nullptr : &*Found;
}

const Prototype *ModuleLifter::findPrototype(StringRef Name) const {
  const Function *F = Functions.lookup(Name);
  return F ? &F->Type : nullptr;
}

// Returns true for a class's table of virtual functions. C++ knows it as a constant. nvcc's code has it in global
// memory.
static bool isVirtualTable(const Variable &V) {
  return V.Space == "global" && V.HasValues && StringRef(V.Name).starts_with("_ZTV");
}

GlobalVariable *ModuleLifter::declareVariable(const Variable &V) {
  Type *T = memoryType(M.getContext(), V);
  const bool IsExtern = V.Link == Linkage::Extern || (V.IsArray && V.Elements == 0);
  const bool IsShared = V.Space == "shared";
  if (V.Space == "local") {
    fail(V.Line, "the local variable '" + V.Name + "' outside of a function is not supported");
    return nullptr;
  }
  llvm::Constant *Initial = IsExtern ? nullptr : IsShared ? UndefValue::get(T) : llvm::Constant::getNullValue(T);
  auto *G = new GlobalVariable(M, T, /*isConstant=*/V.Space == "const" || isVirtualTable(V),
                               IsExtern ? GlobalValue::ExternalLinkage : linkageOf(V.Link), Initial, V.Name, nullptr,
                               GlobalValue::NotThreadLocal, addressSpace(V.Space));
  G->setAlignment(Align(V.alignment()));
  if (!IsExtern && !IsShared && !isVirtualTable(V)) // the host may write it
    G->setExternallyInitialized(true);
  if (V.IsManaged) {
    LLVMContext &Context = M.getContext();
    Metadata *Mark[] = {ConstantAsMetadata::get(G), MDString::get(Context, "managed"),
                        ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(Context), 1))};
    M.getOrInsertNamedMetadata("nvvm.annotations")->addOperand(MDNode::get(Context, Mark));
  }
  return G;
}

llvm::Constant *ModuleLifter::constantOf(const lift::Constant &Value, Type *T, unsigned Line) {
  if (Value.Symbol.empty()) {
    const unsigned Bits = T->getPrimitiveSizeInBits();
    auto *Number = ConstantInt::get(IntegerType::get(M.getContext(), Bits), APInt(64, Value.Number).zextOrTrunc(Bits));
    return T->isIntegerTy() ? Number : ConstantExpr::getBitCast(Number, T);
  }
  llvm::Constant *Address = findSymbol(Value.Symbol);
  if (!Address || !T->isIntegerTy()) {
    fail(Line, "unknown symbol '" + Value.Symbol + "' in an initial value");
    return llvm::Constant::getNullValue(T);
  }
  if (Value.Number)
    Address = ConstantExpr::getGetElementPtr(Type::getInt8Ty(M.getContext()), Address,
                                             ConstantInt::get(Type::getInt64Ty(M.getContext()), Value.Number));
  if (Value.Generic)
    Address = ConstantExpr::getAddrSpaceCast(Address, PointerType::get(M.getContext(), 0));
  return ConstantExpr::getPtrToInt(Address, T);
}

// Bytes of addresses, as in "0xFF(a), 0xFF00(a), ...": eight of them are one address. LLVM prints them like that again.
static size_t maskedBytes(ArrayRef<lift::Constant> Values, size_t At) {
  size_t Count = 0;
  while (At + Count < Values.size() && Count < 8 && Values[At + Count].Mask == uint64_t(0xff) << (8 * Count) &&
         Values[At + Count].Symbol == Values[At].Symbol && Values[At + Count].Number == Values[At].Number)
    ++Count;
  return Count;
}

GlobalVariable *ModuleLifter::initialise(GlobalVariable &G, const Variable &V) {
  if (!V.HasValues || !G.hasInitializer())
    return &G;
  Type *T = G.getValueType(), *Element = registerType(M.getContext(), V.Type);
  SmallVector<llvm::Constant *, 16> Members;
  bool IsUniform = true; // all members have the element's type
  for (size_t I = 0; I < V.Values.size(); ++I) {
    const lift::Constant &Value = V.Values[I];
    if (!Value.Mask) {
      Members.push_back(constantOf(Value, Element, V.Line));
      continue;
    }
    if (maskedBytes(V.Values, I) != 8 || V.Type.Bits != 8) {
      fail(V.Line, "a part of the address of '" + Value.Symbol + "' in an initial value is not supported");
      return &G;
    }
    Members.push_back(constantOf(Value, Type::getInt64Ty(M.getContext()), V.Line));
    IsUniform = false;
    I += 7;
  }
  if (failed())
    return &G;
  auto *Array = dyn_cast<ArrayType>(T);
  if (!Array) {
    if (!Members.empty())
      G.setInitializer(Members[0]);
    return &G;
  }
  const uint64_t Rest = Array->getNumElements() - V.Values.size();
  if (IsUniform && Rest <= kMostZeros) {
    Members.append(Rest, llvm::Constant::getNullValue(Element));
    G.setInitializer(ConstantArray::get(Array, Members));
    return &G;
  }
  if (Rest)
    Members.push_back(llvm::Constant::getNullValue(ArrayType::get(Element, Rest)));
  // A struct has another type than the variable, so the variable is replaced.
  llvm::Constant *Struct = ConstantStruct::getAnon(M.getContext(), Members, /*Packed=*/true);
  auto *New = new GlobalVariable(M, Struct->getType(), G.isConstant(), G.getLinkage(), Struct, "", &G,
                                 GlobalValue::NotThreadLocal, G.getAddressSpace(), G.isExternallyInitialized());
  New->setAlignment(G.getAlign());
  New->takeName(&G);
  G.replaceAllUsesWith(New);
  G.eraseFromParent();
  return New;
}

void ModuleLifter::describeKernel(llvm::Function &Kernel, const Function &F) {
  Kernel.setCallingConv(CallingConv::PTX_Kernel);
  static const std::pair<StringRef, StringRef> Names[] = {{"maxntid", "nvvm.maxntid"},
                                                          {"reqntid", "nvvm.reqntid"},
                                                          {"minnctapersm", "nvvm.minctasm"},
                                                          {"maxnreg", "nvvm.maxnreg"},
                                                          {"reqnctapercluster", "nvvm.cluster_dim"},
                                                          {"maxclusterrank", "nvvm.maxclusterrank"},
                                                          {"blocksareclusters", "nvvm.blocksareclusters"}};
  for (const auto &Limit : F.Limits) {
    const std::string &Directive = Limit.first, &Numbers = Limit.second;
    const auto *Known = find_if(Names, [&](const auto &N) { return N.first == StringRef(Directive); });
    if (Known != std::end(Names))
      Kernel.addFnAttr(Known->second, Numbers);
    else if (Directive == "maxnctapersm" || Directive == "explicitcluster") // LLVM writes it with the cluster's size
      continue;
    else
      fail(F.Line, "the directive ." + Directive + " of '" + F.Name + "' is not supported");
  }
}

void ModuleLifter::declareFunction(const Function &F) {
  LLVMContext &Context = M.getContext();
  if (const Function *Before = Functions.lookup(F.Name)) {
    if (Before->HasBody && F.HasBody)
      return fail(F.Line, "'" + F.Name + "' is defined twice");
    if (functionType(Context, Before->Type) != functionType(Context, F.Type))
      return fail(F.Line, "'" + F.Name + "' is declared with other parameters before");
  } else if (findSymbol(F.Name)) {
    return fail(F.Line, "'" + F.Name + "' is a variable and a function");
  }
  auto *Target = cast_or_null<llvm::Function>(findSymbol(F.Name));
  if (!Target) {
    Target = llvm::Function::Create(functionType(Context, F.Type), GlobalValue::ExternalLinkage, F.Name, M);
    Target->setAttributes(parameterAttributes(Context, F.Type, F.IsEntry));
    Target->addFnAttr(Attribute::Convergent);
    Target->addFnAttr(Attribute::NoUnwind);
    Symbols[F.Name] = Target;
  }
  Functions[F.Name] = &F;
  Target->addFnAttr("target-cpu", Tree.Target);
  Target->addFnAttr("target-features", "+ptx" + std::to_string(std::min(Tree.Version, kNewestVersion)));
  if (F.Type.NoReturn)
    Target->addFnAttr(Attribute::NoReturn);
  if (F.IsEntry)
    describeKernel(*Target, F);
  if (!F.HasBody)
    return;
  if (!F.IsEntry || F.Link != Linkage::Local) // the host finds kernels by name, static ones, too
    Target->setLinkage(linkageOf(F.Link));
  Target->addFnAttr(Attribute::SanitizeAddress);
  Target->addFnAttr(kLiftedAttr);
  if (!F.IsEntry)
    Target->addFnAttr(Attribute::NoInline); // the compiler of the PTX has decided on inlining
}

void ModuleLifter::addAlias(const std::string &Name, const std::string &Target) {
  auto *F = dyn_cast_or_null<llvm::Function>(findSymbol(Target));
  if (!F || F->isDeclaration())
    return fail(1, "the alias '" + Name + "' names no function with a body");
  auto *Declared = dyn_cast_or_null<llvm::Function>(findSymbol(Name));
  auto *Alias = GlobalAlias::create(F->getFunctionType(), 0, GlobalValue::ExternalLinkage, Declared ? "" : Name, F, &M);
  if (Declared) {
    Alias->takeName(Declared);
    Declared->replaceAllUsesWith(Alias);
    Declared->eraseFromParent();
  }
  Symbols[Name] = Alias;
}

std::string ModuleLifter::run() {
  for (const Function &F : Tree.Functions)
    declareFunction(F);
  for (const Variable &V : Tree.Variables) {
    if (failed())
      break;
    // An extern declaration may come with the definition.
    GlobalValue *Before = findSymbol(V.Name);
    if (Before && V.Link == Linkage::Extern)
      continue;
    GlobalVariable *G = declareVariable(V);
    if (G && Before) {
      if (!Before->isDeclaration() || Before->getType() != G->getType()) {
        fail(V.Line, "'" + V.Name + "' is defined twice");
        break;
      }
      G->takeName(Before);
      Before->replaceAllUsesWith(G);
      Before->eraseFromParent();
    }
    Symbols[V.Name] = G;
  }
  SmallVector<GlobalValue *, 16> Kept; // the host finds variables by name, static ones, too
  for (const Variable &V : Tree.Variables)
    if (auto *G = dyn_cast_or_null<GlobalVariable>(findSymbol(V.Name)); G && !failed())
      Symbols[V.Name] = initialise(*G, V);
  for (const Variable &V : Tree.Variables)
    if (auto *G = dyn_cast_or_null<GlobalVariable>(findSymbol(V.Name));
        G && G->hasInitializer() && V.Space != "shared" && V.Name[0] != '$') // "$str" are strings
      Kept.push_back(G);
  appendToCompilerUsed(M, Kept);
  for (const Function &F : Tree.Functions)
    if (F.HasBody && !failed())
      liftBody(*this, F, *cast<llvm::Function>(findSymbol(F.Name)));
  for (const auto &[Name, Target] : Tree.Aliases)
    if (!failed())
      addAlias(Name, Target);
  Lines.finish();
  return Error;
}

} // namespace gasan::lift
