# The lit suites test/pass (LLVM IR and device code in, FileCheck on the output), test/driver (command lines) and,
# with programs.cfg.py, whole programs: test/run, test/reports, test/cpu, test/samples.
# Run one:  lit-22 -v test/run/KIND/NAME.cu
#
# Parameters (--param NAME=VALUE):
#   build=DIR             a build elsewhere than in build/, or build/ of a folder made by `make dist`
# and for whole programs
#   device=cuda           on a GPU
#   only=build, only=run  compile only, for a GPU; run these programs, without compilers
#   mode=shadow|bst|tags  the mode of tests that do not choose it; their reports are not compared with recorded ones
#   level=0               the optimisation, whatever the test says
#   front_end=nvcc        nvcc's own front end, for programs without recorded reports
#   correct_only=1        without the runs that must report
#   report_files=DIR      each program also writes DIR/PID.json and DIR/PID.sarif; check them by reports/report_files.py
#   update_golden=1       write the recorded reports and outputs instead of comparing
#
# In test/pass and test/driver:
#   %clang, %clangxx      clang 22 itself
#   %gasan_clang(xx)      the compiler wrapper
#   %gasan                gasan-clang++ -fsanitize=gpu-address
#   %plugin               the pass plugin's file, for opt -load-pass-plugin and -fpass-plugin
#   %opt_gasan            opt with the plugin loaded before it parses the plugin's options
#   %asan_bc              the library for device code with ASan's calls by another compiler, a shadow byte for 128 bytes
#   %device_bc, %cpu_bc   bitcode of the device runtime and of the CPU device's helpers
#   %cuda                 the CUDA toolkit's folder
#   %cuda_device          clang++ up to device code of one file: IR or assembly with -emit-llvm -S
# opt, FileCheck, not, count, split-file and llvm-dis come from LLVM 22.
import json
import os

import lit.formats

config.name = "gasan"
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".ll", ".cu", ".c", ".cpp", ".test"]
config.excludes = ["detection", "silence", "oracle", "unit", "bench", "Inputs", "inputs"]
config.test_source_root = os.path.dirname(os.path.abspath(__file__))

params = lit_config.params
build = os.path.abspath(params.get("build", os.path.join(config.test_source_root, "..", "build")))
try:
    with open(os.path.join(build, "test", "config.json")) as file:
        paths = json.load(file)
except FileNotFoundError:  # a machine without compilers
    paths = {"llvm": build, "cuda": "", "private": os.path.join(build, "lib", "gasan"), "arch": ""}
config.for_gpu = "only" in params or params.get("device", "cpu") == "cuda"
config.gasan_build, config.gasan_cuda = build, paths["cuda"]
variant = ["gpu"] * config.for_gpu + [params[name] for name in ("mode", "level", "front_end") if name in params]
config.test_exec_root = os.path.join(build, "test", "-".join(["lit"] + variant))

llvm_bin = os.path.join(paths["llvm"], "bin")
config.environment["PATH"] = llvm_bin + os.pathsep + config.environment["PATH"]
config.environment["CUDA_HOME"] = paths["cuda"]
config.environment["GASAN_OPTIONS"] = "device=cpu"
for name in ("GASAN_CACHE", "HOME"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

plugin = os.path.join(paths["private"], "gasan_pass.so")
clangxx = os.path.join(llvm_bin, "clang++")
wrapper = os.path.join(build, "bin", "gasan-clang")
# The longer name comes first: lit substitutes in order.
config.substitutions += [
    ("%gasan_clangxx", wrapper + "++"),
    ("%gasan_clang", wrapper),
    ("%gasan_nvcc", os.path.join(build, "bin", "gasan-nvcc")),
    ("%gasan", wrapper + "++ -fsanitize=gpu-address"),
    ("%clangxx", clangxx),
    ("%clang", os.path.join(llvm_bin, "clang")),
    ("%plugin", plugin),
    ("%opt_gasan", "opt -load %s -load-pass-plugin=%s" % (plugin, plugin)),
    ("%asan_bc", os.path.join(paths["private"], "gasan_asan_128.bc")),
    ("%device_bc", os.path.join(paths["private"], "gasan_device.bc")),
    ("%cpu_bc", os.path.join(paths["private"], "gasan_cpu.bc")),
    ("%cuda_device", "%s -x cuda --cuda-path=%s -Wno-unknown-cuda-version --cuda-device-only --offload-arch=%s"
     % (clangxx, paths["cuda"], paths["arch"])),
    ("%cuda", paths["cuda"]),
]
