"""Prints the sizes of the fat binaries in a file's section .nv_fatbin, which was dumped to the path.

Reads the section as CUDA's cuobjdump does: after each fat binary and zeros for its alignment there must be another one,
or the end."""
import struct
import sys

MAGIC = 0xba55ed50

with open(sys.argv[1], "rb") as file:
    section = file.read()
at = 0
while section[at:].strip(b"\0"):
    if section[at:at + 4] == b"\0\0\0\0":
        at += 4
        continue
    magic, version, header_size, size = struct.unpack_from("<IHHQ", section, at)
    if magic != MAGIC:
        sys.exit("no fat binary at %d of %d bytes" % (at, len(section)))
    print("version %d, header %d, %s" % (version, header_size, "code" if size else "no code"))
    at += header_size + size
