"""Writes containers as nvcc does: containers.py PTX NAME makes NAME.lz4 and NAME.short, which is damaged."""
import struct
import sys

PTX, LZ4 = 1, 0x2000


def block(text):
    """Returns an LZ4 block: runs of literals, and a copy where the last 8 bytes come again."""
    out, at, start = b"", 0, 0
    while at < len(text):
        found = text.rfind(text[at:at + 8], max(0, at - 60000), at + 7) if at else -1
        if found < 0 or len(text) - at < 20:
            at += 1
            continue
        length = 8
        while at + length < len(text) - 12 and text[found + length] == text[at + length]:
            length += 1
        out += sequence(text[start:at], at - found, length)
        at = start = at + length
    return out + sequence(text[start:], 0, 0)


def sequence(literals, distance, length):
    def more(number):
        return b"" if number < 15 else b"\xff" * ((number - 15) // 255) + bytes([(number - 15) % 255])
    copied = max(length - 4, 0)
    head = bytes([min(len(literals), 15) << 4 | min(copied, 15)]) + more(len(literals)) + literals
    return head + (struct.pack("<H", distance) + more(copied) if length else b"")


def container(text, packed):
    entry = struct.pack("<HHIQIIHHIIIQQQ", PTX, 0x101, 72, len(packed), len(packed), 64, 0, 9, 80, 0, 0, 0x11 | LZ4, 0,
                        len(text)) + bytes(8)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entry) + len(packed)) + entry + packed


with open(sys.argv[1], "rb") as file:
    source = file.read() + b"\0"
for ending, data in (("lz4", block(source)), ("short", block(source)[:100])):
    with open("%s.%s" % (sys.argv[2], ending), "wb") as file:
        file.write(container(source, data))
