# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Five programs on NVRTC and the driver API, by ctypes: three load PTX, two load cubins."""
import ctypes
import glob
import os
import sys

from common import main
from cuda_sources import COUNT, SOURCES, grid_of


def find_nvrtc():
    places = ["/usr/local/cuda/lib64"] + [os.path.join(folder, "nvidia", part, "lib") for folder in sys.path
                                          for part in ("cu13", "cuda_nvrtc")]
    for place in places:
        for path in sorted(glob.glob(os.path.join(place, "libnvrtc.so.1*"))):
            if "builtins" not in path and ".alt." not in path:
                return ctypes.CDLL(path)
    raise RuntimeError("libnvrtc was not found")


driver, nvrtc = ctypes.CDLL("libcuda.so.1"), find_nvrtc()
Pointer, Size = ctypes.c_void_p, ctypes.c_size_t


def call(function, *arguments):
    error = function(*arguments)
    if error:
        raise RuntimeError("%s returns %d" % (function.__name__, error))


context = Pointer()
call(driver.cuInit, 0)
call(driver.cuDevicePrimaryCtxRetain, ctypes.byref(context), 0)
call(driver.cuCtxSetCurrent, context)
major, minor = ctypes.c_int(), ctypes.c_int()
call(driver.cuDeviceGetAttribute, ctypes.byref(major), 75, 0)
call(driver.cuDeviceGetAttribute, ctypes.byref(minor), 76, 0)


def compile_code(name, kind):
    handle, size = Pointer(), Size()
    option = ("-arch=%s_%d%d" % ("sm" if kind == "CUBIN" else "compute", major.value, minor.value)).encode()
    call(nvrtc.nvrtcCreateProgram, ctypes.byref(handle), SOURCES[name].encode(), (name + ".cu").encode(), 0, None, None)
    call(nvrtc.nvrtcCompileProgram, handle, 1, (ctypes.c_char_p * 1)(option))
    call(getattr(nvrtc, "nvrtcGet%sSize" % kind), handle, ctypes.byref(size))
    code = ctypes.create_string_buffer(size.value)
    call(getattr(nvrtc, "nvrtcGet" + kind), handle, code)
    return code


def allocate(values):
    memory = ctypes.c_uint64()
    data = (ctypes.c_float * COUNT)(*values)
    call(driver.cuMemAlloc_v2, ctypes.byref(memory), Size(ctypes.sizeof(data)))
    call(driver.cuMemcpyHtoD_v2, memory, data, Size(ctypes.sizeof(data)))
    return memory


def program(name, kind):
    def make(has_bug):
        module, kernel = Pointer(), Pointer()
        call(driver.cuModuleLoadData, ctypes.byref(module), compile_code(name, kind))
        call(driver.cuModuleGetFunction, ctypes.byref(kernel), module, name.encode())
        to, source = allocate([0] * COUNT), allocate(i % 1000 for i in range(COUNT))
        count = ctypes.c_int(COUNT + 8 * has_bug)
        arguments = (to, source, count)  # `values` has their addresses only
        values = (Pointer * 3)(*(ctypes.addressof(value) for value in arguments))

        def launch():
            assert len(arguments) == len(values)
            call(driver.cuLaunchKernel, kernel, grid_of(name, count.value), 1, 1, 256, 1, 1, 0, None, values, None)

        def result():
            data = (ctypes.c_float * COUNT)()
            call(driver.cuMemcpyDtoH_v2, data, to, Size(ctypes.sizeof(data)))
            return sum(data)
        return launch, result
    return make


if __name__ == "__main__":
    main({name: program(name, "CUBIN" if i % 2 else "PTX") for i, name in enumerate(SOURCES)},
         lambda: call(driver.cuCtxSynchronize))
