// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints the shadow bytes around an address, in ASan's layout.
#include "gasan_rt/sanitizer/SanitizerInternal.h"
#include "gasan_rt/sanitizer/sanitizer.h"
#include "shadow/encoding.h"

using namespace gasan;

namespace {

constexpr int BytesPerRow = 16;
constexpr int RowsBefore = 5;
constexpr int RowsAfter = 5;

class ShadowPrinter {
public:
  ShadowPrinter(uint64_t Address, uint32_t Scale, uint8_t (*Get)(const void *, uint64_t), const void *Context)
      : Address(Address), Scale(Scale), Get(Get), Context(Context) {}

  void print() {
    Text.Append("Shadow bytes around the buggy address:\n");
    uint64_t RowSize = static_cast<uint64_t>(BytesPerRow) << Scale;
    uint64_t BuggyRow = Address & ~(RowSize - 1);
    for (int Row = -RowsBefore; Row <= RowsAfter; ++Row) {
      uint64_t Begin = BuggyRow + Row * RowSize;
      bool OutsideAddressSpace = Row < 0 ? Begin > BuggyRow : Begin < BuggyRow;
      if (!OutsideAddressSpace)
        appendRow(Begin, Row == 0);
    }
    appendLegend();
    writeReport(Text.data());
  }

private:
  void appendRow(uint64_t Begin, bool Guilty) {
    int GuiltyByte = Guilty ? static_cast<int>((Address - Begin) >> Scale) : -2;
    Text.AppendF("%s%p:", Guilty ? "=>" : "  ", reinterpret_cast<void *>(Begin));
    for (int I = 0; I < BytesPerRow; ++I) {
      Text.Append(I == GuiltyByte ? "[" : I == GuiltyByte + 1 && I > 0 ? "" : " ");
      appendByte(Get(Context, Begin + (static_cast<uint64_t>(I) << Scale)));
      Text.Append(I == GuiltyByte ? "]" : "");
    }
    Text.Append("\n");
  }

  void appendByte(uint8_t Value) {
    bool Accessible = gasan_shadow_decode(Scale, Value) != 0;
    Text.AppendF("%s%02x%s", gasan_color(Accessible ? GASAN_COLOR_DEFAULT : GASAN_COLOR_ERROR), Value,
                 gasan_color(GASAN_COLOR_DEFAULT));
  }

  void appendLegend() {
    uint32_t BlockSize = 1u << Scale;
    // The 256 encoding has no value for one accessible byte (shadow/encoding.h).
    uint32_t SmallestPart = Scale == GASAN_SCALE_256 ? 2 : 1;
    Text.AppendF("Shadow byte legend (one shadow byte represents %u application bytes):\n", BlockSize);
    Text.Append("  Addressable:           ");
    appendByte(gasan_shadow_encode(Scale, BlockSize));
    Text.Append("\n  Partially addressable: ");
    appendByte(gasan_shadow_encode(Scale, SmallestPart));
    Text.Append(" .. ");
    appendByte(gasan_shadow_encode(Scale, BlockSize - 1));
    Text.Append("\n  Redzone or freed:      ");
    appendByte(gasan_shadow_poison_value(Scale));
    Text.Append("\n");
  }

  uint64_t Address;
  uint32_t Scale;
  uint8_t (*Get)(const void *, uint64_t);
  const void *Context;
  InternalScopedString Text;
};

} // namespace

void gasan_shadow_print(uint64_t address, uint32_t scale, uint8_t (*get)(const void *context, uint64_t address),
                        const void *context) {
  initialize();
  ReportLock Lock;
  ShadowPrinter(address, scale, get, context).print();
}
