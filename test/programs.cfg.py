# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Whole programs: test/run, test/reports, test/cpu, test/samples and test/silence. Their lit.local.cfg loads this file;
# lit.cfg.py beside it names the parameters. A test is one program. Its RUN lines compile and run the program in lit's
# shell:
#
#   %gasan, %gasan_clang  gasan-clang++ and gasan-clang with -fsanitize=gpu-address -g; run/compile.py compiles only
#                         what is out of date
#   %clangxx              clang++ without gasan
#   %run                  runs a program, which must exit with 0
#   not %run              ... with 1, gasan's exit code
#   %exit=N               ... with N
#   %options=A=1:B=2      in front of these: GASAN_OPTIONS, after the device
#   2>&1 | FileCheck %s         the CHECK lines hold for the output; for --check-prefix=P, the P lines
#   2>&1 >/dev/null | %silent   standard error is empty
#   2>&1 | %same                the output equals expected/TEST.txt, one file for all devices; %same.1: TEST.1.txt
#   2>&1 >/dev/null | %golden   the report equals run/golden/DEVICE/TEST.txt (run/golden.py); `| FileCheck %s` may
#                               follow
#   %report_files         checks files of report_format=json and sarif (reports/report_files.py; REQUIRES: schemas)
#   REQUIRES: schemas, chromium, mpi or gdb     names a package of setup.sh tests
#   %gasan_report         gasan report
#   %mlb                  bench/mlb, which prints traces (REQUIRES: cpu)
#   %asan_library, %gasan_library  the folder of ASan's shared library; libgasan_rt.so
#   %python               Python, for scripts of inputs/
#   %examples, %cuda      the folder examples/, the CUDA toolkit
#   %kind                 the kind of device that the programs are compiled for: cpu or cuda
#
# A line that runs a program has one %run, %exit= or `not %run` and no parenthesis in front of it. REQUIRES: cpu, cuda
# or two-devices names the device. `// ALONE: why` marks a test that must run when no other test does (test/gpu.sh).
import ctypes
import os
import shutil
import sys

TESTS = config.test_source_root
sys.path.insert(0, os.path.join(TESTS, "reports"))
from sarif_check import has_schemas  # noqa: E402

RUN = os.path.join(TESTS, "run")
params = lit_config.params
device = params.get("device", "cpu")
only = params.get("only")


def device_count():
    """How many devices of the kind the programs find."""
    count = ctypes.c_int(1)
    if device == "cuda":
        driver = ctypes.CDLL("libcuda.so.1")
        if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
            return 0
    return count.value


config.suffixes = [".cu", ".cpp", ".test"]
config.excludes = ["inputs", "golden", "expected"]
config.environment = dict(os.environ, PATH=config.environment["PATH"], GASAN_OPTIONS="device=" + device)
# Handles and reports are those of a machine with one GPU; run/peers has the other tests.
config.environment["CUDA_VISIBLE_DEVICES"] = os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")[0]
report_features = {"schemas"} if has_schemas() else set()
if shutil.which("chromium-headless-shell") or shutil.which("chromium"):
    report_features.add("chromium")
if shutil.which("mpicc") and shutil.which("mpirun"):
    report_features.add("mpi")
if shutil.which("gdb"):
    report_features.add("gdb")
if only == "build":
    config.available_features = {"cpu", "cuda", "two-devices"}
else:
    config.available_features = {device} | ({"two-devices"} if device_count() > 1 else set())
if only == "run":  # the programs look for the runtime where they were built
    library = os.path.join(config.gasan_build, "lib")
    config.environment["LD_LIBRARY_PATH"] = library + ":" + os.environ.get("LD_LIBRARY_PATH", "")

modes = [word for name in ("mode", "level") if name in params for word in ("--" + name, params[name])]
compiler = [sys.executable, os.path.join(RUN, "compile.py"), "--build", config.gasan_build] + modes
if "front_end" in params:
    compiler += ["--front-end", params["front_end"]]
compiler = " ".join(compiler + ["--gpu"] * config.for_gpu)
recorded = [sys.executable, os.path.join(RUN, "golden.py"), "--device", device] + modes[:2] * ("mode" in params)
recorded = " ".join(recorded + ["--update"] * ("update_golden" in params))
ends = os.path.join(RUN, "ends.sh")

options = "device=" + device
if only == "run":  # the programs were compiled in another folder
    options += ":source_path=" + os.path.dirname(TESTS)
    config.environment["GASAN_OPTIONS"] = options
if "report_files" in params:
    options += ":report_format=text,json,sarif:report_path=%s/%%p" % os.path.abspath(params["report_files"])
    config.environment["GASAN_OPTIONS"] = options
    options = options.replace("%p", "%%p")  # in a RUN line, %p is the test's folder

skipped = []
if only == "build":  # whole lines, which lit begins with a note in parentheses
    skipped = [(r"[^)]*(%run|%exit=).*", " :")]
elif only == "run":
    skipped = [(r"%(gasan_clang|gasan|clangxx) .*", ":")]
if "correct_only" in params:  # a planted bug's twin
    skipped.append((r"[^)]*(not %run|%exit=[1-9]).*", " :"))

config.available_features |= report_features
config.substitutions = skipped + [
    (r"%options=", "env GASAN_OPTIONS=%s:" % options),
    (r"%exit=", ends + " "),
    (r"not %run ", ends + " 1 "),
    (r"%run ", ends + " 0 "),
    (r"%silent\b", "FileCheck --allow-empty --implicit-check-not={{.}} /dev/null"),
    (r"%same\b", recorded + " output %s"),
    (r"%golden\b", recorded + " report %s"),
    (r"%report_files\b", "%s %s" % (sys.executable, os.path.join(TESTS, "reports", "report_files.py"))),
    (r"%gasan_report\b", os.path.join(config.gasan_build, "bin", "gasan") + " report"),
    (r"%gasan_run\b", os.path.join(config.gasan_build, "bin", "gasan") + " run --"),
    (r"%python\b", sys.executable),
    (r"%mlb\b", os.path.join(config.gasan_build, "bench", "mlb", "mlb")),
    (r"%asan_library\b", "/usr/lib/llvm-22/lib/clang/22/lib/linux"),
    (r"%gasan_library\b", os.path.join(config.gasan_build, "lib", "libgasan_rt.so")),
    (r"%packaging\b", os.path.join(os.path.dirname(TESTS), "packaging")),
    (r"%examples\b", os.path.join(os.path.dirname(TESTS), "examples")),
    (r"%cuda\b", config.gasan_cuda),
    (r"%kind\b", "cuda" if config.for_gpu else "cpu"),
]
for name in ("gasan_clang", "gasan", "clangxx"):
    config.substitutions.append(("%%%s " % name, "%s %%s %s " % (compiler, name)))
