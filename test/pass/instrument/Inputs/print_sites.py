"""Prints the site table (base/sites.h) of the LLVM IR on stdin, with a line for each kernel, object, site and frame."""
import re
import struct
import sys

text = re.search(r'@__gasan_sites = .*? c"(.*?)"', sys.stdin.read()).group(1)
blob = b"".join(
    b"\\" if part == "\\\\" else bytes([int(part[1:], 16)]) if part[0] == "\\" else part.encode()
    for part in re.findall(r"\\\\|\\[0-9A-F]{2}|[^\\]", text)
)
(magic, version, total, scale, sites, sites_at, frames, frames_at, kernels, kernels_at, words, reach_at,
 strings, strings_at, unchecked, _, objects, objects_at) = struct.unpack_from("<18I", blob)
assert magic == 0x54495347 and total == len(blob) == strings_at + strings


def string(offset):
    start = strings_at + offset
    return blob[start : blob.index(b"\0", start)].decode()


def kernel_name(index):
    return string(struct.unpack_from("<I", blob, kernels_at + 16 * index)[0])


print(f"table version {version} scale {scale}: {sites} sites, {kernels} kernels")
if unchecked:
    print(f"{unchecked} accesses without a check")
for index in range(kernels):
    name, pretty, count, flags = struct.unpack_from("<4I", blob, kernels_at + 16 * index)
    print(f"kernel {string(name)} '{string(pretty)}' {count} sites{', stack unknown' if flags & 1 else ''}")
for index in range(objects):
    name, function, file, line, size, kind = struct.unpack_from("<4IQI", blob, objects_at + 40 * index)
    kinds = ("", "GLOBAL", "CONSTANT", "SHARED", "DYNAMIC", "STACK", "FIELD", "PARAMETER")
    print(f"object {index + 1} {kinds[kind]} {size} '{string(name)}' '{string(function)}' {string(file)}:{line}")
for index in range(sites):
    first, depth, access, _, size, reach = struct.unpack_from("<IHBBII", blob, sites_at + 16 * index)
    count, = struct.unpack_from("<I", blob, reach_at + 4 * reach)
    reached = struct.unpack_from(f"<{count}I", blob, reach_at + 4 * reach + 4)
    print(f"site {index} {('READ', 'WRITE', 'ATOMIC', 'FREE', 'ALLOCATE', 'WARP')[access]} {size} from",
          " ".join(kernel_name(kernel) for kernel in reached) or "nowhere")
    for frame in range(first, first + depth):
        function, file, line, column = struct.unpack_from("<4I", blob, frames_at + 16 * frame)
        print(f"  #{frame - first} {string(function)} {string(file)}:{line}:{column}")
