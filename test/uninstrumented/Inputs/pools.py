"""Prints the settings of `gasan run` for frameworks, as the program sees them."""
import os
import subprocess
import sys

for name in ["PYTORCH_NO_CUDA_MEMORY_CACHING", "XLA_PYTHON_CLIENT_ALLOCATOR", "XLA_PYTHON_CLIENT_PREALLOCATE",
             "TF_GPU_ALLOCATOR"]:
    print(name, os.environ.get(name))
try:
    import missing_module
except ImportError:
    pass
import cupy
print("cupy", cupy.cuda.allocator, "exec_module" in vars(cupy.loader), len(sys.meta_path))
print("own folder", [folder for folder in sys.path if folder.endswith("gasan/python")])
if len(sys.argv) == 1:
    subprocess.run([sys.executable, __file__, "child"], check=True)
