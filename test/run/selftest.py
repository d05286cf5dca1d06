#!/usr/bin/env python3
"""Tests of the test tools: a checker that cannot fail would prove nothing."""
import os
import random
import re
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools"))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "detection"))
import both  # noqa: E402
import cases  # noqa: E402
import check_layers  # noqa: E402
import check_tables  # noqa: E402
import generate  # noqa: E402
import golden  # noqa: E402
import places  # noqa: E402
import run_lines  # noqa: E402
from headers import decisive_flags  # noqa: E402


class Golden(unittest.TestCase):
    def test_ignored_differences(self):
        one = "==12==ERROR: x on cpu device 0 address 0x1f\n #0 0x2 in f /home/a/b.cu:3:1 (BuildId: 0af)\n"
        other = "==7==ERROR: x on cpu device 0 address 0xabc\n #0 0x9 in f /c/b.cu:3:1\n"
        self.assertIsNone(golden.difference(golden.normalise(one), other))

    def test_devices_differ_in_their_name_only(self):
        folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden")
        names = sorted(os.listdir(os.path.join(folder, "cpu")))
        self.assertEqual(names, sorted(os.listdir(os.path.join(folder, "cuda"))))
        self.assertTrue(names)
        for name in names:
            with open(os.path.join(folder, "cpu", name)) as cpu, open(os.path.join(folder, "cuda", name)) as cuda:
                self.assertEqual(cpu.read().replace("on cpu device", "on cuda device"), cuda.read(), name)

    def test_other_differences(self):
        expected = golden.normalise(" #0 f(int) /a/b.cu:3:1\n")
        self.assertIn("b.cu:4", golden.difference(expected, " #0 f(int) /a/b.cu:4:1\n"))
        self.assertIsNotNone(golden.difference(expected, ""))
        self.assertIsNotNone(golden.difference(expected, " #0 f(int) /a/b.cu:3:1\nmore\n"))


class RunLines(unittest.TestCase):
    def test_steps(self):
        source = ("// RUN: %gasan -O2 \\\n// RUN:   %s -o %t\n// RUN: env A=1 B=x %options=halt_on_error=0 not %run "
                  "%t 3 2>&1 | FileCheck %s --check-prefix=ONE\n"
                  "// RUN: %run %t 2>&1 | %same\n// RUN: %exit=7 %t 2>&1 >/dev/null | %golden | FileCheck %s\n")
        self.assertEqual(["%gasan -O2 %s -o %t"], run_lines.build_lines(source))
        buggy, clean, coded = run_lines.steps(source)
        self.assertEqual((1, ["ONE"], False), (buggy["exit"], buggy["checks"], buggy["golden"]))
        self.assertEqual((["%t", "3"], "halt_on_error=0", {"A": "1", "B": "x"}), (buggy["command"], buggy["options"],
                buggy["environment"]))
        self.assertEqual((0, [], ["%t"]), (clean["exit"], clean["checks"], clean["command"]))
        self.assertEqual((7, ["CHECK"], True, ["%t"]), (coded["exit"], coded["checks"], coded["golden"],
                                                        coded["command"]))

    def test_errors(self):
        for line in ("rm -rf %t", "not %t", "%run"):
            with self.assertRaises(run_lines.RunLineError, msg=line):
                run_lines.steps("// RUN: %gasan %s\n// RUN: " + line + "\n")

    def test_exit_codes(self):
        ends = os.path.join(run_lines.HERE, "ends.sh")
        for code, command, expected in ((0, "exit 0", 0), (0, "exit 1", 1), (1, "exit 0", 1), (1, "exit 1", 0), (1,
                "exit 2", 1), (1, "kill -SEGV $$", 1)):
            self.assertEqual(expected, run_lines.execute([ends, str(code), "/bin/sh", "-c", command])[0], command)


class Places(unittest.TestCase):
    ERROR = "// P: ERROR: AddressSanitizer: heap-buffer-overflow\n"
    ACCESS = "// P-NEXT: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0)\n"
    CALL = "// P-NEXT: READ of size 4 at {{0x[0-9a-f]+}} by cudaMemcpy called by host thread T0:\n"
    FRAME = "// P-NEXT: #0 f(int*) {{.*}}a.cu:[[#@LINE+1]]:\n"
    HOST = "// P: in main {{.*}}a.cu:[[#@LINE-9]]:\n"

    def line(self, *parts):
        return places.without_place(places.read_directives("".join(parts), "P"))

    def test_device(self):
        self.assertIsNone(self.line(self.ERROR, self.ACCESS, self.FRAME))
        self.assertIsNone(self.line(self.ACCESS.replace("-NEXT", ""), self.FRAME))
        self.assertIsNone(self.line(self.ERROR, "// P: #2 f(int*) {{.*}}a.cu:12:\n"))
        self.assertIsNone(self.line(self.ERROR,
                                    "// P: SUMMARY: AddressSanitizer: x {{.*}}a.cu:[[#@LINE+1]]:{{[0-9]+}} in f\n"))
        self.assertIsNone(self.line(self.ERROR, "// P: #0 f() {{.*}}library.cuh:{{[0-9]+}}:\n"))
        self.assertIsNone(self.line(self.ACCESS.replace("-NEXT", ""), "// P-NEXT: #0 <unknown site>{{$}}\n"))

    def test_same_line(self):
        frame = "// P-NEXT: #0 f(int*)\n// P-SAME: {{^}} {{.*}}a.cu:[[#@LINE+1]]:\n"
        self.assertIsNone(self.line(self.ERROR, self.ACCESS, frame))
        self.assertEqual(1, self.line(self.ERROR, self.ACCESS, frame.replace("[[#@LINE+1]]", "{{[0-9]+}}")))
        self.assertEqual(1, self.line(self.ERROR, self.ACCESS, frame.replace("#0", "in main")))

    def test_device_without(self):
        self.assertEqual(1, self.line(self.ERROR))
        self.assertEqual(1, self.line(self.ACCESS.replace("-NEXT", "")))
        self.assertEqual(1, self.line(self.ERROR, self.ACCESS, "// P: #0 f(int*) {{.*}}a.cu:\n"))
        self.assertEqual(1, self.line(self.ERROR, self.ACCESS, "// P: #0 f(int*) {{.*}}a.cu:{{[0-9]+}}:\n"))
        self.assertEqual(1, self.line(self.ERROR, "// P-NOT: #0 f(int*) {{.*}}a.cu:12:\n"))

    def test_other_places(self):
        self.assertEqual(1, self.line(self.ERROR, self.ACCESS, self.HOST))  # of the launch
        self.assertEqual(1, self.line(self.ERROR, "// P: allocated by device thread (0,0,0) here:\n", self.FRAME))
        self.assertEqual(1, self.line(self.ERROR, self.CALL, "// P: freed by host thread T0 here:\n", self.HOST))

    def test_calls(self):
        self.assertIsNone(self.line(self.ERROR, self.CALL, self.HOST))
        self.assertIsNone(self.line("// P: ERROR: AddressSanitizer: attempting double-free on\n", self.HOST))
        self.assertEqual(1, self.line(self.ERROR, self.CALL))
        self.assertEqual(1, self.line("// P: ERROR: AddressSanitizer: attempting double-free on\n"))

    def test_each_report(self):
        self.assertEqual(4, self.line(self.ERROR, self.ACCESS, self.FRAME, self.ERROR))
        self.assertEqual(1, self.line(self.ERROR.replace("P:", "P-COUNT-2:"), self.FRAME))
        self.assertIsNone(self.line(self.ERROR.replace("P:", "P-NOT:"), "// P: the end\n"))

    def test_all_tests_name_them(self):
        names = run_lines.find_tests([])
        self.assertGreater(len(names), 200)
        for name in names:
            source = run_lines.read_text(os.path.join(run_lines.TESTS, name))
            steps = run_lines.steps(source)
            self.assertTrue(run_lines.build_lines(source) and steps, name)
            for prefix in {prefix for step in steps if not step["golden"] for prefix in step["checks"]}:
                line = places.without_place(places.read_directives(source, prefix))
                self.assertIsNone(line, "%s:%s: a report whose place no %s line names (places.py)" % (name, line,
                        prefix))
        self.assertGreater(sum(len(source.cases) for source in cases.read_all()), 50)


class Execute(unittest.TestCase):
    def test_timeout_ends_children(self):
        start = time.monotonic()
        code, output, _ = run_lines.execute(["/bin/sh", "-c", "sleep 60 & echo started; wait"], seconds=1)
        self.assertEqual("none: stopped after 1 s", code)
        self.assertIn("started", output)
        self.assertLess(time.monotonic() - start, 50)


class Layers(unittest.TestCase):
    def count(self, path, include):
        return len(list(check_layers.complaints(path, '#include "%s"\n' % include)))

    def test_arrows(self):
        self.assertEqual(0, self.count("pool/chunk.c", "shadow/shadow.h"))
        self.assertEqual(1, self.count("shadow/page.c", "pool/pool.h"))
        self.assertEqual(1, self.count("base/a.c", "device/device.h"))
        self.assertEqual(0, self.count("gasan_pass/instrument/A.cpp", "shadow/encoding.h"))
        self.assertEqual(1, self.count("gasan_pass/instrument/A.cpp", "shadow/shadow.h"))
        self.assertEqual(0, self.count("device/cpu/api.c", "device/cpu/thread.h"))
        self.assertEqual(1, self.count("pool/chunk.c", "device/cpu/thread.h"))
        self.assertEqual(0, self.count("gasan_pass/A.cpp", "llvm/IR/Module.h"))

    def test_shared_names(self):
        self.assertEqual([], check_layers.shared_names(["a/one.h", "b/two.h", "b/one.c"]))
        self.assertEqual(["a/one.h and b/one.h have one name: rename all but one"],
                         check_layers.shared_names(["b/one.h", "a/one.h", "a/two.h"]))

    def test_arrows_of_the_runtime(self):
        self.assertEqual(0, self.count("gasan_rt/calls/a.c", "gasan_rt/core/runtime.h"))
        self.assertEqual(0, self.count("gasan_rt/memory/a.c", "gasan_rt/report/report.h"))
        self.assertEqual(1, self.count("gasan_rt/report/a.c", "gasan_rt/memory/foreign.h"))
        self.assertEqual(1, self.count("gasan_rt/core/a.c", "gasan_rt/launch/launch.h"))

    def test_paths_from_the_root(self):
        self.assertEqual(1, self.count("pool/chunk.c", "pool.h"))

    def test_cycles(self):
        self.assertEqual([], check_layers.cycles({"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": {"e"}, "e": {"d"}}))
        self.assertEqual([["a", "b", "c", "d"]],
                         check_layers.cycles({"a": {"b"}, "b": {"c"}, "c": {"d", "e"}, "d": {"a"}, "e": set()}))

    def test_calls(self):
        core, launch = "gasan_rt/core/a.c", "gasan_rt/launch/b.c"
        sources = {core: "struct gasan_status gasan_a(void) {\n}\nint gasan_c(void) { return GASAN_B(1); }\n",
                   launch: "static int gasan_c(void) { return 0; }\n/* gasan_a */\n"
                           "int gasan_b(int x) {\n  return gasan_a(); }\n",
                   "gasan_rt/core/a.h": "#define GASAN_B(x) \\\n  gasan_b(x)\n"}
        calls = check_layers.calls_of(sources)
        self.assertEqual({core: {launch: {"gasan_b"}}, launch: {core: {"gasan_a", "gasan_c"}}}, calls)
        self.assertEqual(["%s may not call %s: gasan_b" % (core, launch)], list(check_layers.call_complaints(calls)))


class Readme(unittest.TestCase):
    def test_report(self):
        """test/run/examples/heap-overflow.test compares a run with the report in the page.

        The program of the test has code for the CPU device only, and so formulas of its indices there."""
        shown = re.search(r"^\$ GASAN_OPTIONS=.* build/examples/heap-overflow\n(.*?)^\(exit code 1\)$",
                          run_lines.read_text(os.path.join(run_lines.SOURCE,
                                                           "README.md")), re.MULTILINE | re.DOTALL).group(1)
        path = golden.golden_file("cpu", "run/examples/heap-overflow.test")
        expected = re.sub(r"( \| +\^).*", r"\1", run_lines.read_text(path))
        self.assertIsNone(golden.difference(expected, shown.replace("examples/heap-overflow/", "")))


class Texts(unittest.TestCase):
    REPORT = re.compile(r"^<!-- report: golden ([\w.-]+) -->\n```\n(.*?)^```$", re.MULTILINE | re.DOTALL)

    def test_reports(self):
        """The reports of docs/reports.md and docs/suballocators.md equal their golden files."""
        docs = os.path.dirname(check_tables.REPORTS_PAGE)
        pages = [check_tables.REPORTS_PAGE, os.path.join(docs, "suballocators.md")]
        shown = [report for page in pages for report in self.REPORT.findall(run_lines.read_text(page))]
        self.assertGreaterEqual(len(shown), 17)
        for name, report in shown:
            path = os.path.join(run_lines.TESTS, "run", "golden", "cpu", name + ".txt")
            self.assertIsNone(golden.difference(run_lines.read_text(path).lstrip("\n"), report), name)

    def test_kinds(self):
        page = ("# double-free\n```\n# heap-buffer-overflow\n```\n## SEGV, BUS, FPE and ILL\n"
                "### heap-use-after-free-twice\n")
        missing = check_tables.missing_kinds(page)
        for kind in ("heap-buffer-overflow", "heap-use-after-free"):
            self.assertIn("no heading names the kind " + kind, missing)
        for kind in ("double-free", "SEGV", "ILL"):
            self.assertNotIn("no heading names the kind " + kind, missing)

    def test_length(self):
        self.assertEqual([], check_tables.too_long("word " * check_tables.README_WORDS))
        self.assertEqual(1, len(check_tables.too_long("word " * (check_tables.README_WORDS + 1))))

    def test_options(self):
        wrong = check_tables.unknown_options("-fsanitize-gpu-address-made-up=on, `group-checks`, "
                                             "-fsanitize-gpu-address-launch-proof")
        self.assertEqual(["there is no option -fsanitize-gpu-address-made-up"], wrong)

    def test_option_groups(self):
        rows = {"one": "| `one` |", "two": "| `two` |"}
        self.assertIn("| `two` |\n| `one` |", check_tables.grouped([("A", "", ["two", "one"])], rows))
        for names in (["one"], ["one", "two", "three"]):
            with self.assertRaises(SystemExit):
                check_tables.grouped([("A", "", names)], rows)

    def test_option_rows(self):
        rows = check_tables.driver_rows('GASAN_DRIVER_OPTION(a, "a-b", "in mode=bst, this", "on")\n'
                                        'GASAN_DRIVER_VALUE(a, "on")\nGASAN_DRIVER_VALUE(a, "off")\n'
                                        'GASAN_DRIVER_OPTION(c, "c", "that " "too", "auto")\n'
                                        'GASAN_DRIVER_VALUE(c, "auto")\nGASAN_DRIVER_VALUE(c, "8")\n')
        self.assertEqual({"a-b": "| `a-b` | `on` | on, off | In mode=bst, this. |",
                          "c": "| `c` | `auto` | auto, 8 | That too. |"}, rows)
        self.assertEqual({"x": "| `x` | `4` | 1 to 8 | Text. |"},
                         check_tables.runtime_rows('GASAN_NUMBER(x, 4, 1, 8, "Text.")\n'))

    def test_links(self):
        with tempfile.TemporaryDirectory() as folder:
            page = os.path.join(folder, "a.md")
            run_lines.write_text(page, "# One, `two`\n[x](#one-two) [x](b.md) [x](a.md#one) [x](https://x.y/z)\n")
            self.assertEqual(["there is no b.md", "a.md has no heading #one"], check_tables.broken_links(page))


class Headers(unittest.TestCase):
    LINE = "-fsanitize=gpu-address -g --offload-arch=sm_90 -Xcuda-ptxas -O0 a.cu -o a "

    def test_for_it(self):
        usual = ["--offload-arch=sm_90", "-fsanitize=gpu-address"]
        self.assertEqual(usual, decisive_flags(self.LINE.split()))
        self.assertEqual(usual[:1] + ["-O1"] + usual[1:], decisive_flags(
            (self.LINE + "-O2 -c b.o -O1 -fsanitize-gpu-address-tags").split()))
        self.assertEqual(usual[:1] + ["-DFIXED"] + usual[1:], decisive_flags((self.LINE + "-DFIXED").split()))

    def test_not_for_it(self):
        for more in ("-ffast-math", "-DCOUNT=3", "--offload-arch=sm_80", "-Xclang -fwrapv", "&& true", "a.cpp",
                     "-std=c++20", "-fPIC"):
            self.assertIsNone(decisive_flags((self.LINE + more).split()), more)
        self.assertIsNone(decisive_flags(self.LINE.replace("a.cu", "a.o").split()))


class Verdicts(unittest.TestCase):
    OURS = """==1==ERROR: AddressSanitizer: heap-buffer-overflow on cpu device 0 address 0x28
WRITE of size 4 at 0x28 by device thread (1,0,0) block (0,0,0) lane 1 (and 2 more threads of this kernel)
    #0 atomicAdd(int*, int) /cuda/device_atomic_functions.hpp:9:10
    #1 store(int*) /tests/one.cu:7:3
    #2 store(int*)<<<1, 32>>> launched here by host thread T0:
    #3 0x1 in main /tests/one.cu:20:3

0x28 is located 0 bytes after 40-byte region [0x0,0x28)
"""
    THEIRS = """==1==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x28 at pc 0x1 bp 0x2 sp 0x3
WRITE of size 4 at 0x28 thread T0
    #0 0x1 in __uAtomicAdd /clang/include/functions.h:5:10
    #1 0x2 in store /tests/one.cu:%d:3

0x2c is located 4 bytes after 40-byte region [0x0,0x28)
"""

    def test_same(self):
        ours = both.read_report(1, self.OURS)
        self.assertEqual(("heap-buffer-overflow", "WRITE", 4, "one.cu:7", "after", 40, 0, 3), tuple(ours))
        self.assertTrue(both.same(ours, both.read_report(1, self.THEIRS % 7)))
        self.assertFalse(both.same(ours, both.read_report(1, self.THEIRS % 8)))
        self.assertFalse(both.same(ours, both.SILENT))

    def test_no_report(self):
        self.assertEqual(both.SILENT, both.read_report(0, ""))
        self.assertNotEqual(both.SILENT, both.read_report(1, ""))

    def test_expectation(self):
        class Rows:
            count, total = 10, 3

            @staticmethod
            def elements(i):
                return [4 * i, 4 * i + 3]
        found = generate.expect(Rows, "READ", 4, 4, False)
        self.assertEqual(("heap-buffer-overflow", "after", 40, 4, 1),
                         (found.kind, found.side, found.region, found.distance, found.threads))
        self.assertEqual(3, generate.expect(Rows, "READ", 4, 4, True).threads)
        Rows.count = 12
        self.assertEqual("silent", generate.expect(Rows, "READ", 4, 4, False).kind)

    def test_seed(self):
        first, second = (generate.program([generate.Case(source, n) for n in range(20)])
                         for source in (random.Random(5), random.Random(5)))
        self.assertEqual(first, second)


if __name__ == "__main__":
    unittest.main()
