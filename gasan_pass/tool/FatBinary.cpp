// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/tool/FatBinary.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cctype>

using namespace llvm;

namespace gasan {
namespace {

constexpr uint32_t kMagic = 0xBA55ED50;
constexpr uint16_t kPtx = 1;
constexpr uint64_t kLz4 = 0x2000, kZstd = 0x8000;
constexpr uint64_t kMostBytes = 1u << 30; // of one PTX text

// An entry of a container. The fields of its header are at the offsets that `entryAt` reads.
struct Entry {
  uint16_t Kind;
  uint32_t HeaderSize, CompressedSize, Architecture;
  uint64_t Size, Flags, TextSize;
  StringRef Payload;
};

uint64_t read(StringRef Bytes, size_t At, unsigned Width) {
  using namespace support::endian;
  const char *From = Bytes.data() + At;
  return Width == 2 ? read16le(From) : Width == 4 ? read32le(From) : read64le(From);
}

bool entryAt(StringRef Bytes, Entry &Found) {
  constexpr size_t kLeast = 64;
  if (Bytes.size() < kLeast)
    return false;
  Found.Kind = read(Bytes, 0, 2);
  Found.HeaderSize = read(Bytes, 4, 4);
  Found.Size = read(Bytes, 8, 8);
  Found.CompressedSize = read(Bytes, 16, 4);
  Found.Architecture = read(Bytes, 28, 4);
  Found.Flags = read(Bytes, 40, 8);
  Found.TextSize = read(Bytes, 56, 8);
  if (Found.HeaderSize < kLeast || Found.HeaderSize > Bytes.size() || Found.Size > Bytes.size() - Found.HeaderSize)
    return false;
  Found.Payload = Bytes.substr(Found.HeaderSize, Found.Size);
  return true;
}

// Reads a length that goes on in bytes of 255.
bool lengthAt(StringRef Bytes, size_t &At, size_t &Length) {
  if (Length != 15)
    return true;
  for (uint8_t Byte = 255; Byte == 255; Length += Byte) {
    if (At == Bytes.size())
      return false;
    Byte = Bytes[At++];
  }
  return true;
}

// Decodes one LZ4 block: sequences of a token, literals, and a copy of earlier output. Debian 12 has no static liblz4.
bool decodeLz4(StringRef Bytes, size_t Size, std::string &Text) {
  Text.reserve(Size);
  for (size_t At = 0; At < Bytes.size();) {
    const uint8_t Token = Bytes[At++];
    size_t Literals = Token >> 4, Copied = Token & 15;
    if (!lengthAt(Bytes, At, Literals) || Literals > Bytes.size() - At || Literals > Size - Text.size())
      return false;
    Text.append(Bytes.data() + At, Literals);
    At += Literals;
    if (At == Bytes.size())
      break; // the last sequence has no copy
    if (Bytes.size() - At < 2)
      return false;
    const size_t Distance = read(Bytes, At, 2);
    At += 2;
    if (!lengthAt(Bytes, At, Copied) || !Distance || Distance > Text.size() || Copied + 4 > Size - Text.size())
      return false;
    for (size_t I = 0; I < Copied + 4; I++)
      Text.push_back(Text[Text.size() - Distance]);
  }
  return Text.size() == Size;
}

bool textOf(const Entry &Found, std::string &Text, std::string &Error) {
  const StringRef Packed = Found.Payload.take_front(Found.CompressedSize);
  Text.clear();
  if ((Found.Flags & (kLz4 | kZstd)) && Found.TextSize > kMostBytes) {
    Error = "the PTX has more than 1 GiB";
    return false;
  }
  if (Found.Flags & kLz4) {
    if (decodeLz4(Packed, Found.TextSize, Text))
      return true;
    Error = "the compressed PTX is damaged";
    return false;
  }
  if (Found.Flags & kZstd) {
    if (!compression::zstd::isAvailable()) {
      Error = "the PTX is compressed with zstd, and this gasan was built without it";
      return false;
    }
    SmallVector<uint8_t, 0> Bytes;
    if (llvm::Error Failure = compression::zstd::decompress(arrayRefFromStringRef(Packed), Bytes, Found.TextSize)) {
      Error = "the compressed PTX is damaged: " + toString(std::move(Failure));
      return false;
    }
    Text.assign(Bytes.begin(), Bytes.end());
    return true;
  }
  Text = Found.Payload.str();
  return true;
}

// Returns true if the text is for all of an architecture's successors, and not for one GPU or family (sm_90a).
bool runsOn(StringRef Text, StringRef Architecture) {
  size_t At = Text.find(".target");
  StringRef Target = At == StringRef::npos ? "" : Text.substr(At + strlen(".target")).ltrim();
  Target = Target.take_until([](char C) { return isspace(C) || C == ','; });
  const bool IsSpecial = !Target.empty() && isAlpha(Target.back());
  return !IsSpecial || Target.drop_back() == Architecture.rtrim("af");
}

unsigned numberOf(StringRef Architecture) {
  unsigned Number = 0;
  Architecture.consume_front("sm_");
  Architecture.consumeInteger(10, Number);
  return Number;
}

} // namespace

bool extractPtxFrom(StringRef Bytes, StringRef Architecture, std::string &Text, std::string &Error) {
  if (Bytes.size() < 16 || read(Bytes, 0, 4) != kMagic) {
    Text = Bytes.take_until([](char C) { return !C; }).str();
    if (StringRef(Text).contains(".version"))
      return true;
    Error = "this is neither PTX nor a container of nvcc";
    return false;
  }
  unsigned Best = 0, Newest = 0;
  while (Bytes.size() >= 16 && read(Bytes, 0, 4) == kMagic) {
    const size_t Header = read(Bytes, 6, 2), Size = read(Bytes, 8, 8);
    if (Header < 16 || Header > Bytes.size() || Size > Bytes.size() - Header)
      break;
    StringRef Entries = Bytes.substr(Header, Size);
    Bytes = Bytes.substr(Header + Size);
    Entry Found;
    for (; entryAt(Entries, Found); Entries = Entries.substr(Found.HeaderSize + Found.Size)) {
      std::string Own;
      if (Found.Kind != kPtx)
        continue;
      Newest = std::max(Newest, Found.Architecture);
      if (Found.Architecture > numberOf(Architecture) || Found.Architecture <= Best)
        continue;
      if (!textOf(Found, Own, Error))
        return false;
      Own.resize(StringRef(Own).take_until([](char C) { return !C; }).size());
      if (!runsOn(Own, Architecture))
        continue;
      Best = Found.Architecture;
      Text = std::move(Own);
    }
  }
  if (!Best)
    Error = Newest ? ("it has PTX for sm_" + Twine(Newest) + ", but none for " + Architecture).str()
                   : std::string("it has no PTX");
  return Best;
}

bool extractPtx(const std::string &Path, StringRef Architecture, std::string &Text, std::string &Error) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> File = MemoryBuffer::getFile(Path);
  if (File)
    return extractPtxFrom((*File)->getBuffer(), Architecture, Text, Error);
  Error = File.getError().message();
  return false;
}

} // namespace gasan
