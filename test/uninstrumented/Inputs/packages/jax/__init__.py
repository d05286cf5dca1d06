"""What sitecustomize.py needs of JAX: the folder of the toolkit, which JAX reads when it is imported."""
import os

cuda_path = os.environ.get("CUDA_ROOT")
