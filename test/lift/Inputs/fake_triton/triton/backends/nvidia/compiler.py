import os
import types

from triton import knobs


def sm_arch_from_capability(capability):
    return "sm_%d" % capability


def get_ptxas(architecture):
    return types.SimpleNamespace(path=os.environ["PTXAS"])


class CUDABackend:
    def __init__(self, target):
        self.target = target

    def add_stages(self, stages, options, language):
        stages["cubin"] = lambda source, metadata: b"a cubin of Triton's"
        if knobs.runtime.add_stages_inspection_hook:
            knobs.runtime.add_stages_inspection_hook(self, stages, options, language, 90)

    def hash(self):
        return "key"
