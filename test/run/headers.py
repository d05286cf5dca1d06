"""Precompiles CUDA's headers for the test programs. Parsing them, once for the device and once for the host, is most of
the time to compile a small program.

A command line gets an option that includes the precompiled headers of the build folder; its first user makes them. A
command line with an unknown flag, on which the headers might depend, includes no precompiled headers. Programs for a
GPU (make dist) are compiled as users do."""
import fcntl
import json
import os
import re
import shlex
import shutil
import subprocess
import threading

# Flags on which the headers depend, and flags on which they do not.
DECISIVE = re.compile(r"-O[0-3]|-fsanitize=\S+|-fgpu-rdc|-D(FIXED|BUG)|--offload-arch=\w+|--cuda-path=\S+")
HARMLESS = re.compile(r"-I\S+|-g0?|-fsanitize-gpu-address\S+|-fno-(slp-)?vectorize|"
                      r"-c|-s|-W\S+|-[lL]\S+|[^-'\"$&|;<>]\S*\.(o|so|a)")
WITH_VALUE = ("-o", "-Xcuda-ptxas")
SOURCE = re.compile(r"[^-'\"$&|;<>]\S*\.cu")


def decisive_flags(words):
    """Returns the flags on which the headers depend, from a command line without the compiler. Returns None if the
    command line cannot use precompiled headers."""
    flags, sources, words = set(), 0, iter(words)
    for word in words:
        if word in WITH_VALUE:
            next(words, None)
        elif DECISIVE.fullmatch(word):
            if word.startswith("-O"):
                flags = {flag for flag in flags if not flag.startswith("-O")}
            flags.add(word)
        elif SOURCE.fullmatch(word):
            sources += 1
        elif not HARMLESS.fullmatch(word):
            return None
    return sorted(flags) if sources and sum(flag.startswith("--offload-arch=") for flag in flags) == 1 else None


def has_text(path, text):
    if not os.path.exists(path):
        return False
    with open(path, encoding="utf-8") as file:
        return file.read() == text


class Headers:
    """The precompiled headers of one build folder, for its gasan-clang++."""

    def __init__(self, build, config):
        self.folder, self.compiler = os.path.join(build, "test", "headers"), os.path.join(build, "bin", "gasan-clang++")
        self.made, self.lock = {}, threading.Lock()
        made_of = (os.path.realpath(os.path.join(config["llvm"], "bin", "clang")), self.compiler,
                   os.path.join(config["cuda"], "include", "cuda.h"))
        self.stamps = [[path, os.stat(path).st_mtime_ns] for path in made_of]

    def included(self, words):
        """Returns the command line, with an option that includes the headers if it can use them."""
        flags = decisive_flags(words[1:]) if words[0] == self.compiler else None
        if flags is None:
            return words
        key = " ".join(flags)
        with self.lock:
            if key not in self.made:
                os.makedirs(self.folder, exist_ok=True)
                with open(os.path.join(self.folder, "lock"), "w") as file:  # other suites may make the same headers
                    fcntl.flock(file, fcntl.LOCK_EX)
                    self.made[key] = self.make(flags)
        return words[:1] + ["-include", self.made[key]] + words[1:]

    def make(self, flags):
        """Makes the headers for these flags. Returns the file to include: beside it is a folder with one precompiled
        header for the device and one for the host, from which clang takes the one with its macros."""
        folder = os.path.join(self.folder, re.sub(r"[^\w.]+", "-", " ".join(flags)).strip("-"))
        key, key_file = json.dumps([self.stamps, flags]), os.path.join(folder, "made.json")
        if not has_text(key_file, key):
            shutil.rmtree(folder, ignore_errors=True)
            self.compile(flags, folder)
            with open(key_file, "w", encoding="utf-8") as file:
                file.write(key)
        return os.path.join(folder, "cuda.h")

    def compile(self, flags, folder):
        os.makedirs(os.path.join(folder, "cuda.h.pch"))
        source = os.path.join(folder, "cuda.cu")
        with open(source, "w", encoding="utf-8") as file:
            file.write("// Only what clang includes of its own accord.\n")
        command = [self.compiler] + flags + ["-###", "-c", source, "-o", os.path.join(folder, "cuda.o")]
        steps = subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True)
        for side in ("device", "host"):
            step = next(shlex.split(line) for line in steps.stdout.splitlines() if '"--cuda-%s-only"' % side in line)
            step[step.index("-o") + 1] = os.path.join(folder, "cuda.h.pch", side)
            subprocess.run(step + ["-Xclang", "-emit-pch"], check=True, stdin=subprocess.DEVNULL)
