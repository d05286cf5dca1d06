"""A Python program with a bug in device memory. Its argument names the way to the bug."""
import ctypes
import os
import sys
import threading

import driver

library = ctypes.CDLL(os.environ["HELPER"], mode=ctypes.RTLD_GLOBAL) if "HELPER" in os.environ else None


class Net:
    def make(self, size):
        return driver.allocate(size)


def lines():
    memory = Net().make(1000)
    driver.fill(
        memory,
        1001,
    )


def loop():
    """The C stack of both calls is one, the lines are not."""
    kept = []
    for _ in range(3):
        kept.append(driver.allocate(1000)); kept.append(driver.allocate(
            2000))
        kept.append(
            driver.allocate(3000)
        )
    driver.fill(kept[-2], 2001)


def thread():
    def work():
        driver.fill(driver.allocate(1000), 1001)

    worker = threading.Thread(target=work)
    worker.start()
    worker.join()


def many():
    """Threads that allocate at the same time, from stacks of their own."""
    def work(deep):
        if deep:
            return work(deep - 1)
        for _ in range(50):
            driver.free(driver.allocate(1000))

    workers = [threading.Thread(target=work, args=(5 * number,)) for number in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    driver.fill(driver.allocate(1000), 1001)


def generator():
    def values():
        yield driver.allocate(1000)

    async def fill(memory):
        driver.fill(memory, 1001)

    for memory in values():
        try:
            fill(memory).send(None)
        except StopIteration:
            pass


def text():
    """Code without a file, with names that are not ASCII."""
    names = {"driver": driver}
    source = "def größe_𝛼():\n    driver.fill(driver.allocate(1000), 1001)\ngröße_𝛼()\n"
    exec(compile(source, "/tmp/日本.py", "exec"), names)


def replaced():
    """Functions that come and go, perhaps at one address."""
    for number in range(200):
        names = {"driver": driver}
        exec("def f%d(n):\n%s    return driver.allocate(n)\n" % (number, "\n" * number), names)
        memory = names["f%d" % number](1000 + number)
        if number < 199:
            driver.free(memory)
    driver.fill(memory, 1200)


def recursion():
    def down(count):
        if count:
            return down(count - 1)
        driver.fill(driver.allocate(1000), 1001)

    down(500)


def traced():
    sys.settrace(lambda *arguments: None)
    lines()


def launch():
    driver.launch("fill")
    ctypes.c_int.in_dll(library, "fake_error").value = 700
    driver.cuda.cuStreamQuery(None)


def nested():
    library.fill_nested(driver.allocate(1000), 20)


def from_c():
    """A thread of C code, which has no state in the interpreter."""
    library.run_in_thread()


def callback():
    """Python code that C code calls without Python code around it."""
    library.call_in_thread(ctypes.CFUNCTYPE(None)(lines))


class Owner:
    def __del__(self):
        # One byte in 256 equals the canary's.
        byte = ctypes.c_ubyte.from_address(self.memory.value + 1000)
        byte.value ^= 1
        driver.free(self.memory)


def late():
    """The memory is freed while the interpreter ends."""
    global kept
    kept = Owner()
    kept.memory = driver.allocate(1000)


def fork():
    driver.allocate(1000)
    child = os.fork()
    if child == 0:
        driver.allocate(1000)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    lines()


def daemon():
    """Threads that allocate while the interpreter ends."""
    def work():
        while True:
            driver.free(driver.allocate(1000))

    for _ in range(4):
        threading.Thread(target=work, daemon=True).start()
    threading.Event().wait(0.2)


def handlers():
    """What a program does with faulthandler stays as it is."""
    import faulthandler
    import signal
    faulthandler.enable()
    faulthandler.register(signal.SIGUSR1)
    faulthandler.dump_traceback_later(60)
    driver.free(driver.allocate(1000))
    assert faulthandler.is_enabled() and faulthandler.unregister(signal.SIGUSR1)
    assert all(signal.getsignal(number) == signal.SIG_DFL for number in range(signal.SIGRTMIN, signal.SIGRTMAX + 1))
    lines()


def interpreter():
    try:
        import _interpreters as module
    except ImportError:
        import _xxsubinterpreters as module
    code = "import sys; sys.path = %r; import driver\ndriver.fill(driver.allocate(1000), 1001)" % sys.path
    try:
        made = module.create("legacy")
    except TypeError:
        made = module.create(isolated=False)
    (getattr(module, "exec", None) or module.run_string)(made, code)


if __name__ == "__main__":
    driver.start()
    globals()[sys.argv[1]]()
