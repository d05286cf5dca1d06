"""CUDA's headers, parsed once for all test programs: that is most of what a small program's compile takes, once for
the device and once for the host.

A command line is told to include precompiled ones, which are made when they are first wanted and kept in the build
folder; one with a flag that is not known here, on which they might depend, goes without. Programs for a GPU (make
dist) are compiled as users do it."""
import fcntl
import json
import os
import re
import shlex
import shutil
import subprocess
import threading

# On which the headers depend, and on which they do not.
DECISIVE = re.compile(r"-O[0-3]|-fsanitize=\S+|-fgpu-rdc|-D(FIXED|BUG)|--offload-arch=\w+|--cuda-path=\S+")
HARMLESS = re.compile(r"-I\S+|-g0?|-fsanitize-gpu-address\S+|-fno-(slp-)?vectorize|"
                      r"-c|-s|-W\S+|-[lL]\S+|[^-'\"$&|;<>]\S*\.(o|so|a)")
WITH_VALUE = ("-o", "-Xcuda-ptxas")
SOURCE = re.compile(r"[^-'\"$&|;<>]\S*\.cu")


def decisive_flags(words):
    """Of a command line without the compiler; None: the headers are not for it."""
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
    """Those of one build folder, for its gasan-clang++."""

    def __init__(self, build, config):
        self.folder, self.compiler = os.path.join(build, "test", "headers"), os.path.join(build, "bin", "gasan-clang++")
        self.made, self.lock = {}, threading.Lock()
        made_of = (os.path.realpath(os.path.join(config["llvm"], "bin", "clang")), self.compiler,
                   os.path.join(config["cuda"], "include", "cuda.h"))
        self.stamps = [[path, os.stat(path).st_mtime_ns] for path in made_of]

    def included(self, words):
        """A command line, told to include them if they are for it."""
        flags = decisive_flags(words[1:]) if words[0] == self.compiler else None
        if flags is None:
            return words
        key = " ".join(flags)
        with self.lock:
            if key not in self.made:
                os.makedirs(self.folder, exist_ok=True)
                with open(os.path.join(self.folder, "lock"), "w") as file:  # other suites may want the same
                    fcntl.flock(file, fcntl.LOCK_EX)
                    self.made[key] = self.make(flags)
        return words[:1] + ["-include", self.made[key]] + words[1:]

    def make(self, flags):
        """What to include for them: clang takes those of the two in the folder beside it that fit, which it judges by
        macros, too."""
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
