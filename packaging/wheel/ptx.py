# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""gasan.run_ptx: runs PTX on gasan's CPU device, with checks, on a machine without a GPU.

The PTX of any compiler: Triton (kernel.asm["ptx"]), NVRTC, Numba, nvcc. Needs clang 22 and lld 22 (Debian's clang-22
and lld-22)."""
import ctypes
import hashlib
import os
import re
import struct
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOOL = os.path.join(HERE, "bin", "gasan-ptxas")
RUNTIME = os.path.join(HERE, "lib", "libgasan_rt.so")
WRAPPER_MAGIC, CONTAINER_MAGIC, CPU_KIND = 0x466243B1, 0xBA55ED50, 0x5550434E41534147
TO_DEVICE, TO_HOST = 1, 2
MOST_SHARED, SHARED_BY_DEFAULT = 8, 48 << 10  # cudaFuncAttributeMaxDynamicSharedMemorySize


class PtxError(Exception):
    """The PTX cannot be compiled for the CPU device, or CUDA has refused a call."""


class Wrapper(ctypes.Structure):
    _fields_ = [("magic", ctypes.c_int), ("version", ctypes.c_int), ("data", ctypes.c_void_p),
                ("more", ctypes.c_void_p)]


class Dim3(ctypes.Structure):
    _fields_ = [("x", ctypes.c_uint), ("y", ctypes.c_uint), ("z", ctypes.c_uint)]


def dim3(size):
    sizes = (size,) if isinstance(size, int) else tuple(size)
    if not 1 <= len(sizes) <= 3:
        raise PtxError("a grid or block has one to three sizes, not %r" % (size,))
    return Dim3(*(sizes + (1, 1))[:3])


runtime = None
modules = {}  # (PTX, architecture) -> Module


def load_runtime():
    global runtime
    if runtime is None:
        options = os.environ.get("GASAN_OPTIONS", "")
        os.environ["GASAN_OPTIONS"] = options + (":" if options else "") + "device=cpu"
        os.environ["GASAN_PYTHON"] = "1"  # stacks have the lines of this program
        runtime = ctypes.CDLL(RUNTIME, ctypes.RTLD_GLOBAL)
        runtime.cudaGetErrorName.restype = ctypes.c_char_p
    return runtime


def call(name, *arguments):
    error = getattr(load_runtime(), name)(*arguments)
    if error:
        raise PtxError("%s returns %s (%d)" % (name, runtime.cudaGetErrorName(error).decode(), error))


def architecture_of(ptx):
    found = re.search(r"^\s*\.target\s+(sm_\d+[af]?)", ptx, re.MULTILINE)
    if not found:
        raise PtxError("the text has no .target, so it is no PTX")
    return found.group(1)


class Module:
    """PTX that is compiled and registered, as nvcc's host code registers its own."""

    def __init__(self, ptx):
        self.ptx, self.kernels, self.symbols = ptx, {}, []
        self.names = re.findall(r"\.entry\s+([\w$%]+)", ptx)
        architecture = architecture_of(ptx)
        image_id = hashlib.sha256(ptx.encode()).hexdigest()[:24]
        load_runtime()
        with tempfile.TemporaryDirectory(prefix="gasan-ptx-") as work:
            source, library = os.path.join(work, "kernel.ptx"), os.path.join(work, "kernel.so")
            with open(source, "w") as file:
                file.write(ptx)
            environment = {name: value for name, value in os.environ.items() if name not in ("LD_PRELOAD",
                                                                                             "GASAN_OPTIONS")}
            done = subprocess.run([TOOL, "--gasan-cpu=" + image_id, "-arch=" + architecture.rstrip("af"), source, "-o",
                                   library], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  universal_newlines=True, env=environment)
            if done.returncode:
                raise PtxError(done.stdout.strip() or "gasan-ptxas ends with %d" % done.returncode)
            self.library = ctypes.CDLL(library)
        trailer = struct.pack("<IHHQQ32s", CONTAINER_MAGIC, 1, 56, 0, CPU_KIND, image_id.encode())
        self.container = ctypes.create_string_buffer(struct.pack("<IHHQ", CONTAINER_MAGIC, 1, 16, 0) + trailer)
        self.wrapper = Wrapper(WRAPPER_MAGIC, 1, ctypes.addressof(self.container), None)
        # By index: Python would change names of attributes that begin with two underscores.
        register = runtime["__cudaRegisterFatBinary"]
        register.restype = ctypes.c_void_p
        self.handle = ctypes.c_void_p(register(ctypes.byref(self.wrapper)))
        for name in self.names:
            self.kernels[name] = ctypes.create_string_buffer(1)  # its address stands for the host function
            self.symbols.append(ctypes.create_string_buffer(name.encode()))  # the runtime keeps the pointer
            runtime["__cudaRegisterFunction"](self.handle, self.kernels[name], self.symbols[-1], self.symbols[-1], -1,
                                              None, None, None, None, None)
        runtime["__cudaRegisterFatBinaryEnd"](self.handle)


def module_of(ptx):
    if ptx not in modules:
        modules[ptx] = Module(ptx)
    return modules[ptx]


def parameter_sizes(ptx, name):
    """Returns the bytes of each parameter of a kernel."""
    sizes = {"8": 1, "16": 2, "32": 4, "64": 8, "128": 16}
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", ptx, flags=re.DOTALL)
    found = re.search(r"\.entry\s+%s\s*(?:\((.*?)\))?\s*[.{]" % re.escape(name), text, re.DOTALL)
    result = []
    for parameter in (found.group(1) or "").split(",") if found else ():
        parameter = re.sub(r"\.align\s+\d+", "", parameter)
        words = re.search(r"\.[busf](8|16|32|64|128)\b(?:[^\[]*\[\s*(\d+)\s*\])?", parameter)
        if words:
            result.append(sizes[words.group(1)] * int(words.group(2) or 1))
    return result


def as_bytes(value, size):
    """Returns a scalar in as many bytes as the kernel's parameter has."""
    if isinstance(value, (ctypes._SimpleCData, ctypes.Structure)):
        data = bytes(value)
    elif isinstance(value, bytes):
        data = value
    elif isinstance(value, bool) or isinstance(value, int):
        data = (value & ((1 << 8 * size) - 1)).to_bytes(size, "little")
    elif isinstance(value, float):
        data = struct.pack({2: "<e", 4: "<f", 8: "<d"}.get(size, "<d"), value)
    elif hasattr(value, "tobytes"):
        data = value.tobytes()  # a scalar of numpy
    elif value is None:
        data = bytes(size)
    else:
        raise PtxError("%r is no argument: pass an array, a number, a numpy scalar, bytes or a ctypes value"
                       % (value,))
    if len(data) != size:
        raise PtxError("an argument has %d bytes, and its parameter has %d" % (len(data), size))
    return data


def buffer_of(value, number):
    """Returns address, bytes and whether results are copied back, of an array; None for a scalar."""
    if hasattr(value, "__array_interface__"):
        if not getattr(value, "ndim", 0):
            return None
        if not value.flags["C_CONTIGUOUS"]:
            raise PtxError("argument %d is no contiguous array; use numpy.ascontiguousarray" % number)
        return value.ctypes.data, value.nbytes, value.flags["WRITEABLE"]
    try:
        view = memoryview(value)
    except TypeError:
        return None
    if isinstance(value, (ctypes._SimpleCData, ctypes.Structure, bytes)) or view.readonly:
        return None
    return ctypes.addressof((ctypes.c_char * view.nbytes).from_buffer(value)), view.nbytes, True


def run_ptx(ptx, name, grid, block, args=(), shared=0):
    """Runs the kernel `name` of the PTX on the CPU device.

    grid, block: a number, or a tuple of up to three. args: for each parameter an array, which is copied to memory of
    the device and back (numpy's, array.array, a ctypes array, bytearray), a number, a numpy scalar, bytes or a ctypes
    value; parameters without an argument are 0.
    shared: bytes of dynamic shared memory. An error of the kernel ends the process with gasan's report, unless
    GASAN_OPTIONS has halt_on_error=0. Raises PtxError if the PTX cannot be compiled or launched."""
    if isinstance(ptx, bytes):
        ptx = ptx.decode()
    ptx = ptx.rstrip("\0")
    module = module_of(ptx)
    if name not in module.kernels:
        raise PtxError("the PTX has no kernel %r; it has %s" % (name, ", ".join(module.names) or "none"))
    sizes, values, arrays = parameter_sizes(ptx, name), [], []
    if len(args) > len(sizes):
        raise PtxError("kernel %s has %d parameters, and %d arguments are given" % (name, len(sizes), len(args)))
    for i, size in enumerate(sizes):
        value = args[i] if i < len(args) else None
        buffer = buffer_of(value, i)
        if buffer:
            memory = ctypes.c_void_p()
            call("cudaMalloc", ctypes.byref(memory), ctypes.c_size_t(buffer[1]))
            call("cudaMemcpy", memory, ctypes.c_void_p(buffer[0]), ctypes.c_size_t(buffer[1]), TO_DEVICE)
            arrays.append((buffer, memory))
            values.append(ctypes.create_string_buffer(struct.pack("<Q", memory.value), 8))
        else:
            values.append(ctypes.create_string_buffer(as_bytes(value, size), size))
    if shared > SHARED_BY_DEFAULT:
        call("cudaFuncSetAttribute", module.kernels[name], MOST_SHARED, shared)
    pointers = (ctypes.c_void_p * max(len(values), 1))(*[ctypes.addressof(value) for value in values])
    call("cudaLaunchKernel", module.kernels[name], dim3(grid), dim3(block), pointers, ctypes.c_size_t(shared), None)
    call("cudaDeviceSynchronize")
    for (address, size, is_result), memory in arrays:
        if is_result:
            call("cudaMemcpy", ctypes.c_void_p(address), memory, ctypes.c_size_t(size), TO_HOST)
        call("cudaFree", memory)
