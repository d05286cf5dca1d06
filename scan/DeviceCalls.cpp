/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Intrinsics and functions of device code.
#include "scan/Executor.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace gasan::scan {

// Returns the dimension that the intrinsic's name ends with.
static int dimension(StringRef Name) {
  return Name.ends_with(".x") ? 0 : Name.ends_with(".y") ? 1 : Name.ends_with(".z") ? 2 : -1;
}

bool Executor::callDevice(const CallBase &Call, StringRef Name, Value &Result) {
  const int D = dimension(Name);
  if (Name.consume_front("llvm.nvvm.read.ptx.sreg.")) {
    auto is = [&](StringRef Register) { return Name.starts_with(Register) && D >= 0; };
    if (is("tid."))
      Result = Value::integer(Current->Thread[D]);
    else if (is("ntid."))
      Result = Value::integer(Current->Block[D]);
    else if (is("ctaid."))
      Result = Value::integer(Current->BlockIndex[D]);
    else if (is("nctaid."))
      Result = Value::integer(Current->Grid[D]);
    else if (Name == "warpsize")
      Result = Value::integer(Nodes.constant(32, 32));
    else if (Name == "laneid") {
      // The place in the block, in the order that CUDA defines, decides the lane.
      const Node *Row = Nodes.add(Current->Thread[1], Nodes.mul(Current->Thread[2], Current->Block[1]));
      Result = Value::integer(Nodes.make(Op::And, Nodes.add(Current->Thread[0], Nodes.mul(Row, Current->Block[0])),
                                         Nodes.constant(32, 31)));
    } else
      Result = any(Call, "a register of the GPU");
    return true;
  }
  if (Name.starts_with("llvm.nvvm.shfl") || Name.starts_with("llvm.nvvm.vote") || Name.starts_with("llvm.nvvm.match") ||
      Name.starts_with("llvm.nvvm.redux") || Name == "llvm.nvvm.activemask") {
    Result = any(Call, "a number from another thread of the warp");
    return true;
  }
  if (Name.starts_with("llvm.nvvm.barrier") || Name.starts_with("llvm.nvvm.bar.") ||
      Name.starts_with("llvm.nvvm.membar") || Name.starts_with("llvm.nvvm.fence")) {
    Result = Call.getType()->isVoidTy() ? Value() : any(Call, "a number from other threads");
    return true;
  }
  if (Name.starts_with("llvm.nvvm.ldg") || Name.starts_with("llvm.nvvm.ldu")) {
    Result = load(Call, argument(Call, 0), Call.getType());
    return true;
  }
  if (Name == "vprintf" || Name == "__assertfail" || Name == "__assert_fail") {
    if (Name == "vprintf")
      Result = any(Call, "printf");
    else
      endProgram();
    return true;
  }
  if (Name == "malloc" || Name == "free") {
    Result = Name == "malloc" ? Memory.unknownPointer("memory of the device's heap") : Value();
    return true;
  }
  if (Name == "llvm.nvvm.exit") {
    endProgram();
    return true;
  }
  return false;
}

} // namespace gasan::scan
