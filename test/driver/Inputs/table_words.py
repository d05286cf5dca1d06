"""Prints whether the tables of two PTX files, as bytes and as 64-bit words, are the same but for zeros at the end."""
import re
import struct
import sys

bytes_file, words_file = (open(path, encoding="utf-8").read() for path in sys.argv[1:])
for name in ("__gasan_sites", "__gasan_proofs"):
    count, numbers = re.search(r"\.b8 %s\[(\d+)\] = \{(.*)\};" % name, bytes_file).groups()
    expected = bytes(int(number) for number in numbers.split(","))
    expected += bytes(int(count) - len(expected))  # LLVM leaves zeros at the end out
    word_count, words = re.search(r"\.b64 %s\[(\d+)\] = \{(.*)\};" % name, words_file).groups()
    actual = b"".join(struct.pack("<Q", int(word)) for word in words.split(","))
    same = len(actual) == 8 * int(word_count) and actual == expected + bytes(-len(expected) % 8)
    print("%s: %s" % (name, "same" if same else "different"))
print("rest:", "same" if re.sub(r"(?m)^.* __gasan_(sites|proofs)\[.*$", "", bytes_file) ==
      re.sub(r"(?m)^.* __gasan_(sites|proofs)\[.*$", "", words_file) else "different")
