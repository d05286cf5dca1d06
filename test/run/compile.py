#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the program of a RUN line of a whole-program test, unless the output is up to date.

  compile.py --build DIR [--mode bst|shadow|tags] [--level N] [--front-end nvcc] [--gpu] TEST COMPILER ARGUMENT...

COMPILER: gasan (gasan-clang++ with -fsanitize=gpu-address -g), gasan_clang, or clangxx. --mode is for tests that do not
choose one; --level replaces the arguments' optimisation. --front-end nvcc compiles by gasan-nvcc what is for gasan;
PTX that cannot be lifted is then an error. --gpu compiles as users do. Without --gpu, CUDA's headers are
precompiled ones (headers.py), and there is only code for the CPU device; in test/samples also for the GPU, which ptxas
only accepts (-O0)."""
import argparse
import glob
import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from headers import Headers  # noqa: E402
from run_lines import SOURCE, TESTS, chooses_mode, execute, read_text, write_text  # noqa: E402

MODE_FLAGS = {"shadow": "-fsanitize-gpu-address-mode=shadow", "bst": "-fsanitize-gpu-address-mode=bst",
              "tags": "-fsanitize-gpu-address-tags"}
LEVEL = re.compile(r"-O[0-3s]")
SECONDS = 900  # a longer compilation is a failure


def command_line(settings, config, source):
    """Returns the compiler and its arguments, as a list."""
    if settings.compiler == "clangxx":
        words = [os.path.join(config["llvm"], "bin", "clang++")]
    else:
        words = [os.path.join(settings.build, "bin", "gasan-clang" + "++" * (settings.compiler == "gasan")),
                 "-fsanitize=gpu-address", "-g", "--offload-arch=" + config["arch"]]
        if not settings.gpu:
            # Only an image for the CPU device alone has the kernels' variants, and its launch proof.
            as_users = os.path.dirname(settings.test) == os.path.join(TESTS, "samples")
            words += ["-Xcuda-ptxas", "-O0"] if as_users else ["-fsanitize-gpu-address-devices=cpu"]
        words += ["-O" + settings.level] if settings.level else []
        words += [MODE_FLAGS[settings.mode]] if settings.mode and not chooses_mode(source) else []
    return words + [word for word in settings.arguments if not (settings.level and LEVEL.fullmatch(word))]


def command_of_nvcc(settings, config):
    """Returns the command for nvcc's own front end and GASAN_PTXAS_FLAGS, as a list and a text."""
    words = [os.path.join(settings.build, "bin", "gasan-nvcc"), "--front-end=nvcc", "-arch=" + config["arch"],
             "-std=c++17", "-lineinfo", "--extended-lambda"]
    flags = ["--strict"]
    for word in settings.arguments:
        if word.startswith("--offload-arch="):
            words[2] = "-arch=" + word.split("=")[1]
        elif word == "-fgpu-rdc":
            words.append("-rdc=true")
        elif word.startswith("-fsanitize-"):
            flags += [word] * ("-devices=" not in word)
        elif word != "-g0" and not word.startswith("-std="):
            words.append(word)
    return words, " ".join(flags)


def stamps(paths):
    return [[path, os.stat(path).st_mtime_ns] for path in paths if os.path.isfile(path)]


def inputs(config, settings, words):
    """Returns the files that the output depends on, also those for other RUN lines."""
    private = config["private"]
    tools = [os.path.join(settings.build, "bin", name) for name in ("gasan-clang", "gasan-clang++", "gasan-nvcc")]
    tools += [os.path.join(private, name) for name in sorted(os.listdir(private))] if os.path.isdir(private) else []
    folders = [os.path.join(os.path.dirname(settings.test), "inputs"), os.path.join(TESTS, "cpu", "inputs"),
               os.path.join(SOURCE, "examples")]
    files = [file for folder in folders for file in sorted(glob.glob(folder + "/**/*", recursive=True))]
    files += [file for folder in (os.path.dirname(settings.test), os.path.join(SOURCE, "base"))
              for file in sorted(glob.glob(folder + "/*.*h"))]  # headers
    return tools + [settings.test] + files + words


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--mode", choices=sorted(MODE_FLAGS))
    parser.add_argument("--level")
    parser.add_argument("--front-end", choices=["clang", "nvcc"], default="clang")
    parser.add_argument("--gpu", action="store_true")
    parser.add_argument("test", metavar="TEST")
    parser.add_argument("compiler", choices=["gasan", "gasan_clang", "clangxx"], metavar="COMPILER")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="ARGUMENT")
    settings = parser.parse_args()
    with open(os.path.join(settings.build, "test", "config.json")) as file:
        config = json.load(file)
    by_nvcc = settings.front_end == "nvcc" and settings.compiler == "gasan"
    environment = None
    if by_nvcc:
        words, flags = command_of_nvcc(settings, config)
        environment = dict(os.environ, CUDA_HOME=config["cuda"], GASAN_PTXAS_FLAGS=flags)
    else:
        words = command_line(settings, config, read_text(settings.test))
    output = words[words.index("-o") + 1] if "-o" in words[:-1] else None
    key_file = "%s.built.json" % output
    key = json.dumps([words, stamps(word for word in inputs(config, settings, words) if word != output)])
    if output and os.path.exists(output) and os.path.exists(key_file) and read_text(key_file) == key:
        return 0
    if not settings.gpu and not by_nvcc:
        words = Headers(settings.build, config).included(words)
    code, out, errors = execute(words, environment, seconds=SECONDS)
    sys.stdout.write(out)
    sys.stderr.write(errors)
    if code != 0:
        print("compile.py: %s: %s" % (code, " ".join(words)), file=sys.stderr)
        return 1
    if output:
        write_text(key_file, key)
    return 0


if __name__ == "__main__":
    sys.exit(main())
