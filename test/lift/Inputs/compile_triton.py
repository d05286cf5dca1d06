"""Compiles PTX by the fake Triton: compile_triton.py PTX OUTPUT [import]."""
import sys
import types

if "import" in sys.argv:
    import gasan.triton  # noqa: F401
import triton

with open(sys.argv[1]) as file:
    text = file.read()
source = types.SimpleNamespace(text=text, constants={(1,): 1024, (2,): None},
                               fn=types.SimpleNamespace(arg_names=["to", "BLOCK", "other"]))
options = types.SimpleNamespace(num_warps=4, num_stages=3, enable_fp_fusion=True)
cubin, key = triton.compile(source, options)
with open(sys.argv[2], "wb") as file:
    file.write(cubin)
print("own key" if key != "key" else "Triton's key")
