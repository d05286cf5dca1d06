#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a wheel of `gasan run` from a build: gasan-VERSION-py3-none-manylinux_2_N_x86_64.whl.

  tools/make_wheel.py [--build DIR] FOLDER      prints the wheel's path in FOLDER

The wheel has the command, its libraries, the symbolizer and packaging/wheel; no compiler. N comes from the versions of
glibc that the programs and libraries need. A library that manylinux does not promise is an error. Equal builds give
equal wheels; SOURCE_DATE_EPOCH is the time of its files (default: 1980).
"""
import argparse
import base64
import hashlib
import os
import re
import struct
import subprocess
import sys
import tempfile
import time
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Path in the wheel -> path in the build.
BINARIES = {
    "gasan/bin/gasan": "bin/gasan",
    "gasan/lib/libgasan_preload.so": "lib/libgasan_preload.so",
    "gasan/lib/libgasan_nvtx.so": "lib/libgasan_nvtx.so",
    "gasan/lib/libgasan_rt.so": "lib/libgasan_rt.so",
    "gasan/lib/gasan/llvm-symbolizer-gasan": "lib/gasan/llvm-symbolizer-gasan",
    "gasan/bin/gasan-ptxas": "bin/gasan-ptxas",
    "gasan/lib/gasan/gasan-lift": "lib/gasan/gasan-lift",
}
PROGRAMS = {"gasan/bin/gasan", "gasan/bin/gasan-ptxas", "gasan/lib/gasan/gasan-lift",
            "gasan/lib/gasan/llvm-symbolizer-gasan"}
# The same, not for x86-64.
DATA = {"gasan/lib/gasan/gasan_device.bc": "lib/gasan/gasan_device.bc"}
# Path in the wheel -> path in the repository.
TEXTS = {
    "gasan/__init__.py": "packaging/wheel/__init__.py",
    "gasan/__main__.py": "packaging/wheel/__main__.py",
    "gasan/ptx.py": "packaging/wheel/ptx.py",
    "gasan/lib/gasan/python/sitecustomize.py": "gasan_preload/python/sitecustomize.py",
    "gasan/lib/gasan/python/gasan_triton.py": "gasan_preload/python/gasan_triton.py",
    "gasan/triton.py": "gasan_preload/python/gasan_triton.py",
}
LICENSES = {"LICENSE": "LICENSE", "copyright": "packaging/copyright"}
# What every manylinux system has (PEP 600).
PROMISED = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libgcc_s.so.1",
            "ld-linux-x86-64.so.2"}
DYNAMIC, VERSIONS_NEEDED, DT_NEEDED = 6, 0x6ffffffe, 1
METADATA = """\
Metadata-Version: 2.1
Name: gasan
Version: %s
Summary: AddressSanitizer for CUDA programs that were not built with it
License: Apache-2.0 WITH LLVM-exception
License-File: LICENSE
License-File: copyright
Keywords: cuda,sanitizer,debugging
Classifier: Development Status :: 4 - Beta
Classifier: Environment :: GPU :: NVIDIA CUDA
Classifier: Operating System :: POSIX :: Linux
Classifier: Topic :: Software Development :: Debuggers
Requires-Python: >=3.6
Description-Content-Type: text/markdown

%s"""


def die(message):
    sys.exit("tools/make_wheel.py: error: " + message)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def cache_of(build):
    """Returns the variables of CMake's cache."""
    path = os.path.join(build, "CMakeCache.txt")
    if not os.path.exists(path):
        die("%s is no build; run make first" % build)
    return dict(re.findall(r"^(\w+):\w+=(.*)$", read(path).decode(), re.MULTILINE))


class Elf:
    """The needs of a program or a library of x86-64."""

    def __init__(self, data):
        self.data, self.libraries, self.versions = data, set(), set()
        (offset,), (size, count) = struct.unpack_from("<Q", data, 0x28), struct.unpack_from("<HH", data, 0x3a)
        self.sections = [struct.unpack_from("<IIQQQQIIQQ", data, offset + i * size) for i in range(count)]
        for section in self.sections:
            if section[1] == DYNAMIC:
                self.read_dynamic(section)
            elif section[1] == VERSIONS_NEEDED:
                self.read_versions(section)

    def text(self, section, offset):
        start = self.sections[section[6]][4] + offset
        return self.data[start:self.data.index(b"\0", start)].decode()

    def read_dynamic(self, section):
        for tag, value in struct.iter_unpack("<QQ", self.data[section[4]:section[4] + section[5]]):
            if tag == DT_NEEDED:
                self.libraries.add(self.text(section, value))

    def read_versions(self, section):
        file = section[4]
        while True:
            _, count, _, first, following = struct.unpack_from("<HHIII", self.data, file)
            name = file + first
            for _ in range(count):
                _, _, _, text, after = struct.unpack_from("<IHHII", self.data, name)
                self.versions.add(self.text(section, text))
                name += after
            if not following:
                return
            file += following


def glibc_minor(path, data):
    """Returns N of the glibc 2.N that a file needs."""
    elf = Elf(data)
    if elf.libraries - PROMISED:
        die("%s needs %s, which manylinux does not promise" % (path, ", ".join(sorted(elf.libraries - PROMISED))))
    return max(int(version.split(".")[1]) for version in elf.versions if re.match(r"GLIBC_2\.\d+", version))


def stripped(path, strip):
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "file")
        subprocess.run([strip, path, "-o", copy], check=True)
        return read(copy)


def binaries(build, cache):
    """Returns {path in the wheel: content}."""
    found = {}
    foreign = [cache["CMAKE_HOME_DIRECTORY"] + "/", cache.get("GASAN_CACHE", "") + "/", os.path.realpath(build) + "/"]
    for name, path in BINARIES.items():
        full = os.path.join(build, path)
        if not os.path.exists(full):
            die("%s is missing; run make first" % full)
        found[name] = stripped(full, cache["CMAKE_STRIP"])
        for text in foreign:
            if len(text) > 1 and text.encode() in found[name]:
                die("%s contains '%s', a path of this machine" % (full, text))
    return found


def record(files, info):
    lines = []
    for name in sorted(files):
        digest = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).rstrip(b"=").decode()
        lines.append("%s,sha256=%s,%d\n" % (name, digest, len(files[name])))
    return "".join(lines + ["%s/RECORD,,\n" % info]).encode()


def write(path, files):
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    date = time.gmtime(int(epoch))[:6] if epoch else (1980, 1, 1, 0, 0, 0)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        # The metadata comes last, as PEP 427 recommends.
        for name in sorted(files, key=lambda name: (".dist-info/" in name, name)):
            entry = zipfile.ZipInfo(name, max(date, (1980, 1, 1, 0, 0, 0)))
            entry.create_system = 3  # Unix
            entry.external_attr = (0o100755 if name in PROGRAMS else 0o100644) << 16
            wheel.writestr(entry, files[name], zipfile.ZIP_DEFLATED)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("folder")
    arguments = parser.parse_args()
    cache = cache_of(arguments.build)
    version = cache["CMAKE_PROJECT_VERSION"]
    info = "gasan-%s.dist-info" % version

    files = binaries(arguments.build, cache)
    tag = "py3-none-manylinux_2_%d_x86_64" % max(glibc_minor(name, data) for name, data in files.items())
    for name, path in TEXTS.items():
        files[name] = read(os.path.join(ROOT, path))
    for name, path in DATA.items():
        files[name] = read(os.path.join(arguments.build, path))
    for name, path in LICENSES.items():
        files["%s/licenses/%s" % (info, name)] = read(os.path.join(ROOT, path))
    description = read(os.path.join(ROOT, "packaging/wheel/description.md")).decode()
    files[info + "/METADATA"] = (METADATA % (version, description)).encode()
    files[info + "/WHEEL"] = ("Wheel-Version: 1.0\nGenerator: gasan\nRoot-Is-Purelib: false\nTag: %s\n" % tag).encode()
    files[info + "/entry_points.txt"] = b"[console_scripts]\ngasan = gasan:main\n"
    files[info + "/RECORD"] = record(files, info)

    os.makedirs(arguments.folder, exist_ok=True)
    path = os.path.join(arguments.folder, "gasan-%s-%s.whl" % (version, tag))
    write(path, files)
    print(path)


if __name__ == "__main__":
    main()
