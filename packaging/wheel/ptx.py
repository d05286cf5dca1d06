# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""gasan.run_ptx: runs PTX on gasan's CPU device, with checks, on a machine without a GPU.

The PTX of any compiler: Triton (kernel.asm["ptx"]), NVRTC, Numba, nvcc. Needs clang 22 and lld 22 (Debian's clang-22
and lld-22)."""
import ctypes
import hashlib
import operator
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
MOST_SHARED_BYTES = 227 << 10
MOST_BLOCKS, MOST_THREADS, MOST_THREADS_OF_BLOCK = (2 ** 31 - 1, 65535, 65535), (1024, 1024, 64), 1024


class PtxError(Exception):
    """The PTX cannot be compiled for the CPU device, an argument does not fit, or CUDA has refused a call."""


class Wrapper(ctypes.Structure):
    _fields_ = [("magic", ctypes.c_int), ("version", ctypes.c_int), ("data", ctypes.c_void_p),
                ("more", ctypes.c_void_p)]


class Dim3(ctypes.Structure):
    _fields_ = [("x", ctypes.c_uint), ("y", ctypes.c_uint), ("z", ctypes.c_uint)]


def whole(value, name, least, most):
    """Returns a number as an int, within the limits that are given."""
    try:
        number = operator.index(value)
    except TypeError:
        raise PtxError("%s is %r; it must be a whole number" % (name, value)) from None
    if not least <= number <= most:
        raise PtxError("%s=%d is out of range (%d to %d)" % (name, number, least, most))
    return number


def dim3(size, name, most):
    """Returns a grid or a block: `size` is a number, or one to three of them."""
    try:
        sizes = tuple(size) if not isinstance(size, (str, bytes)) else (size,)
    except TypeError:
        sizes = (size,)
    if not 1 <= len(sizes) <= 3:
        raise PtxError("a grid or block has one to three sizes, not %r" % (size,))
    result = [whole(value, name + "." + axis, 1, limit) for value, axis, limit in zip(sizes, "xyz", most)]
    return Dim3(*(result + [1, 1])[:3])


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
        raise PtxError("the text has no .target, so it is no PTX; pass the text, not the name of a file")
    return found.group(1)


class Module:
    """PTX that is compiled and registered, as nvcc's host code registers its own."""

    def __init__(self, ptx):
        self.ptx, self.kernels, self.symbols = ptx, {}, []
        self.names = re.findall(r"\.entry\s+([\w$%]+)", without_comments(ptx))
        architecture = architecture_of(ptx)
        image_id = hashlib.sha256(ptx.encode()).hexdigest()[:24]
        load_runtime()
        with tempfile.TemporaryDirectory(prefix="gasan-ptx-") as work:
            source, library = os.path.join(work, "kernel.ptx"), os.path.join(work, "kernel.so")
            with open(source, "w", encoding="utf-8") as file:
                file.write(ptx)
            environment = {name: value for name, value in os.environ.items() if name not in ("LD_PRELOAD",
                                                                                             "GASAN_OPTIONS")}
            command = [TOOL, "--gasan-cpu=" + image_id, "-arch=" + architecture.rstrip("af"), source, "-o", library]
            try:
                done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, universal_newlines=True, errors="replace",
                                      env=environment)
            except OSError as error:
                raise PtxError("cannot run %s: %s" % (TOOL, error.strerror)) from None
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


def without_comments(ptx):
    return re.sub(r"//[^\n]*|/\*.*?\*/", " ", ptx, flags=re.DOTALL)


class Parameter:
    """A parameter of a kernel. kind: the letter of its type (u, s, b, f), or "a" for an array that is passed by value;
    size: bytes."""

    def __init__(self, kind, bits, elements):
        self.kind = "a" if elements else kind
        self.size = bits // 8 * int(elements or 1)

    def takes_arrays(self):
        return self.size == 8 and self.kind in "usb"


def parameters_of(ptx, name):
    """Returns the parameters of a kernel."""
    found = re.search(r"\.entry\s+%s\s*(?:\((.*?)\))?\s*[.{]" % re.escape(name), without_comments(ptx), re.DOTALL)
    result = []
    for parameter in (found.group(1) or "").split(",") if found else ():
        parameter = re.sub(r"\.align\s+\d+", "", parameter)
        words = re.search(r"\.([busf])(8|16|32|64|128)\b(?:[^\[]*\[\s*(\d+)\s*\])?", parameter)
        if words:
            result.append(Parameter(words.group(1), int(words.group(2)), words.group(3)))
    return result


def integer_bytes(value, parameter, number):
    bits = 8 * parameter.size
    if not -(1 << (bits - 1)) <= value < 1 << bits:
        raise PtxError("argument %d is %d, which is out of range for its parameter of %d bits" % (number, value, bits))
    return (value & ((1 << bits) - 1)).to_bytes(parameter.size, "little")


def float_bytes(value, parameter, number):
    if parameter.kind in "us":
        raise PtxError("argument %d is the float %r, and its parameter is an integer" % (number, value))
    try:
        return struct.pack({2: "<e", 4: "<f"}.get(parameter.size, "<d"), value)
    except OverflowError:
        raise PtxError("argument %d is %r, which is out of range for its parameter of %d bits"
                       % (number, value, 8 * parameter.size)) from None


def as_bytes(value, parameter, number):
    """Returns a scalar in as many bytes as the kernel's parameter has. Whole numbers become floats if the parameter is
    one."""
    kind = getattr(getattr(value, "dtype", None), "kind", "")  # of numpy's scalars
    if isinstance(value, (ctypes._SimpleCData, ctypes.Structure, ctypes.Array)):
        data = bytes(value)
    elif isinstance(value, bytes):
        data = value
    elif value is None:
        data = bytes(parameter.size)
    elif isinstance(value, int) or kind in ("i", "u", "b"):
        if parameter.kind == "f":
            data = float_bytes(float(value), parameter, number)
        else:
            data = integer_bytes(int(value), parameter, number)
    elif isinstance(value, float):
        data = float_bytes(value, parameter, number)
    elif kind and hasattr(value, "tobytes"):
        if kind == "f" and parameter.kind in "us":
            raise PtxError("argument %d is the float %r, and its parameter is an integer" % (number, value))
        data = value.tobytes()
    else:
        raise PtxError("argument %d, %r, is no argument: pass an array, a number, a numpy scalar, bytes or a ctypes "
                       "value" % (number, value))
    if len(data) != parameter.size:
        raise PtxError("argument %d has %d bytes, and its parameter has %d" % (number, len(data), parameter.size))
    return data


class Buffer:
    """An array among the arguments: its address on the host, its bytes, and whether results are copied back."""

    def __init__(self, address, size, is_result):
        self.address, self.size, self.is_result = address, size, is_result
        self.memory = 0  # address on the device


def buffer_of(value, number):
    """Returns the buffer of an array; None for a scalar."""
    if hasattr(value, "__array_interface__"):
        if not getattr(value, "ndim", 0):
            return None
        if value.dtype.hasobject:
            raise PtxError("argument %d is an array of Python objects, which a kernel cannot read" % number)
        if not value.flags["C_CONTIGUOUS"]:
            raise PtxError("argument %d is no contiguous array; use numpy.ascontiguousarray" % number)
        return Buffer(value.ctypes.data, value.nbytes, value.flags["WRITEABLE"])
    try:
        view = memoryview(value)
    except TypeError:
        return None
    if isinstance(value, (ctypes._SimpleCData, ctypes.Structure, bytes)) or view.readonly:
        return None
    if not view.contiguous:
        raise PtxError("argument %d is no contiguous array" % number)
    if not view.nbytes:
        return Buffer(0, 0, False)
    return Buffer(ctypes.addressof((ctypes.c_char * view.nbytes).from_buffer(value)), view.nbytes, True)


def copy_to_device(buffers):
    """Copies arrays to memory of the device; those that overlap are one piece of it, as on the host. Returns the
    addresses of the pieces."""
    pieces, end, owned = [], 0, []
    try:
        for buffer in sorted((b for b in buffers if b.size), key=lambda b: b.address):
            if buffer.address < end:
                pieces[-1].append(buffer)
            else:
                pieces.append([buffer])
            end = max(end, buffer.address + buffer.size)
        for piece in pieces:
            start, size = piece[0].address, max(b.address + b.size for b in piece) - piece[0].address
            memory = ctypes.c_void_p()
            call("cudaMalloc", ctypes.byref(memory), ctypes.c_size_t(size))
            owned.append(memory.value)
            call("cudaMemcpy", memory, ctypes.c_void_p(start), ctypes.c_size_t(size), TO_DEVICE)
            for buffer in piece:
                buffer.memory = memory.value + buffer.address - start
        return owned
    except PtxError:
        release(owned)
        raise


def release(memory):
    for address in memory:
        runtime.cudaFree(ctypes.c_void_p(address))


def values_of(name, parameters, args):
    """Returns the buffers, and for each parameter a buffer or bytes."""
    if isinstance(args, (str, bytes)) or hasattr(args, "__array_interface__"):
        raise PtxError("the arguments must be a list or a tuple, not %s" % type(args).__name__)
    try:
        args = list(args)
    except TypeError:
        raise PtxError("the arguments must be a list or a tuple, not %s" % type(args).__name__) from None
    if len(args) > len(parameters):
        raise PtxError("kernel %s has %d parameters, and %d arguments are given" % (name, len(parameters), len(args)))
    for parameter in parameters[len(args):]:
        if not parameter.takes_arrays():
            raise PtxError("kernel %s has %d parameters, and %d arguments are given; only pointers at the end may be "
                           "left out, which are null" % (name, len(parameters), len(args)))
    values = []
    for number, (value, parameter) in enumerate(zip(args, parameters)):
        buffer = buffer_of(value, number)
        if buffer and isinstance(value, ctypes.Array) and parameter.kind == "a":
            buffer = None  # by value
        if buffer and not parameter.takes_arrays():
            raise PtxError("argument %d is an array, and its parameter is no pointer but has %s%d bytes"
                           % (number, "a float of " if parameter.kind == "f" else "", parameter.size))
        values.append(buffer or as_bytes(value, parameter, number))
    return values + [bytes(8)] * (len(parameters) - len(args))


def text_of(ptx):
    if isinstance(ptx, (bytes, bytearray)):
        try:
            ptx = bytes(ptx).decode()
        except UnicodeDecodeError:
            raise PtxError("the PTX is no text in UTF-8") from None
    if not isinstance(ptx, str):
        raise PtxError("the PTX must be a str or bytes, not %s" % type(ptx).__name__)
    return ptx.rstrip("\0")


def run_ptx(ptx, name, grid, block, args=(), shared=0):
    """Runs the kernel `name` of the PTX on the CPU device.

    grid, block: a number, or a tuple of up to three. args: for each parameter an array, which is copied to memory of
    the device and back (numpy's, array.array, a ctypes array, bytearray), a number, a numpy scalar, bytes or a ctypes
    value. An array that is not writable is not copied back; arrays that overlap do so on the device, too. Pointers at
    the end may be left out, and are null (Triton's scratch memory).
    shared: bytes of dynamic shared memory. An error of the kernel ends the process with gasan's report, unless
    GASAN_OPTIONS has halt_on_error=0. Raises PtxError if the PTX cannot be compiled or launched, or an argument does
    not fit; the next call works as if that one had not been."""
    ptx = text_of(ptx)
    module = module_of(ptx)
    if name not in module.kernels:
        raise PtxError("the PTX has no kernel %r; it has %s" % (name, ", ".join(module.names) or "none"))
    grid, block = dim3(grid, "grid", MOST_BLOCKS), dim3(block, "block", MOST_THREADS)
    if block.x * block.y * block.z > MOST_THREADS_OF_BLOCK:
        raise PtxError("the block has %d threads; %d are allowed" % (block.x * block.y * block.z,
                                                                     MOST_THREADS_OF_BLOCK))
    shared = whole(shared, "shared", 0, MOST_SHARED_BYTES)
    values = values_of(name, parameters_of(ptx, name), args)
    buffers = [value for value in values if isinstance(value, Buffer)]
    if shared > SHARED_BY_DEFAULT:
        call("cudaFuncSetAttribute", module.kernels[name], MOST_SHARED, shared)
    memory = copy_to_device(buffers)
    try:
        texts = [struct.pack("<Q", v.memory) if isinstance(v, Buffer) else v for v in values]
        data = [ctypes.create_string_buffer(text, len(text)) for text in texts]
        pointers = (ctypes.c_void_p * max(len(data), 1))(*[ctypes.addressof(value) for value in data])
        call("cudaLaunchKernel", module.kernels[name], grid, block, pointers, ctypes.c_size_t(shared), None)
        call("cudaDeviceSynchronize")
        for buffer in buffers:
            if buffer.is_result and buffer.size:
                call("cudaMemcpy", ctypes.c_void_p(buffer.address), ctypes.c_void_p(buffer.memory),
                     ctypes.c_size_t(buffer.size), TO_HOST)
    finally:
        release(memory)
        if runtime.cudaGetLastError() and runtime.cudaDeviceSynchronize():
            runtime.cudaDeviceReset()  # the error would be that of all later calls
