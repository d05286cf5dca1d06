# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""gdb: stop in the kernel's line at a bad access of a device thread, on the CPU device.

    gdb -x gasan.py --args ./app          (gdb) gasan-stop
                                          (gdb) run

At a stop it prints the thread, and selects the frame of the kernel's line. `continue` goes on
to the next bad access: the thread that made it ends, and the report follows when the kernel has ended. `gasan-thread`
prints the CUDA thread that the selected thread of gdb runs."""
import re

import gdb

# __gasan_report_bounds_aligned calls __gasan_report_bounds.
REPORTS = r"^__gasan_(report|recover)_(bounds|bounds_straight|8|128|256)(\.device)?$"
breakpoints = {}


def device_thread():
    """Returns the indices and shapes of the CUDA thread (struct gasan_cpu_thread), or None outside of a kernel."""
    read = None
    # The variable of the runtime; or, if its symbols were stripped, the function that returns the variable's address.
    for words in ("*(unsigned int (*)[15])&gasan_cpu_thread",
                  "*(unsigned int (*)[15])((void *(*)(void))gasan_cpu_this_thread)()"):
        try:
            value = gdb.parse_and_eval(words)
            read = [int(value[i]) for i in range(15)]
            break
        except gdb.error:
            continue
    if not read:
        return None
    return {"thread": tuple(read[0:3]), "linear": read[3], "block_dim": tuple(read[4:7]), "block": tuple(read[8:11]),
            "grid_dim": tuple(read[12:15])} if read[4] else None


def describe(thread):
    three = "({},{},{})".format
    return "device thread %s block %s lane %d of <<<%s, %s>>>" % (
        three(*thread["thread"]), three(*thread["block"]), thread["linear"] % 32, three(*thread["grid_dim"]),
        three(*thread["block_dim"]))


def add_breakpoints():
    found = gdb.execute("info functions -q ^__gasan_re", to_string=True)
    for name in re.findall(r"0x[0-9a-f]+\s+(__gasan_\S+)", found):
        if name not in breakpoints and re.match(REPORTS, name):
            breakpoints[name] = gdb.Breakpoint("'%s'" % name, internal=True)


def stopped(event):
    if not isinstance(event, gdb.BreakpointEvent):
        return
    hit = [name for name, point in breakpoints.items() if point in event.breakpoints]
    if not hit:
        return
    thread = device_thread()
    print("gasan: bad access by %s" % (describe(thread) if thread else "a device thread"))
    frame = gdb.newest_frame()
    while frame.older() and (not frame.find_sal().symtab or str(frame.name()).startswith("__gasan")):
        frame = frame.older()
    frame.select()
    gdb.execute("frame")


class Stop(gdb.Command):
    """Stop at bad accesses of device threads, before their reports. Works with device=cpu."""

    def __init__(self):
        super().__init__("gasan-stop", gdb.COMMAND_BREAKPOINTS)

    def invoke(self, text, from_tty):
        gdb.execute("set breakpoint pending on")
        add_breakpoints()
        gdb.events.new_objfile.connect(lambda event: add_breakpoints())
        gdb.events.stop.connect(stopped)
        print("gasan: stops at bad accesses on the CPU device (%d functions so far)" % len(breakpoints))


class Thread(gdb.Command):
    """Print the CUDA thread that the selected thread runs."""

    def __init__(self):
        super().__init__("gasan-thread", gdb.COMMAND_STATUS)

    def invoke(self, text, from_tty):
        thread = device_thread()
        print(describe(thread) if thread else "gasan: this thread runs no CUDA thread")


Stop()
Thread()
