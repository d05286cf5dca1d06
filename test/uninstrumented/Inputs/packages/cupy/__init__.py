"""What sitecustomize.py needs of CuPy."""


class cuda:
    allocator = "pool"

    @staticmethod
    def set_allocator(allocator):
        cuda.allocator = allocator


loader = __spec__.loader
