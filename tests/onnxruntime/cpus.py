"""CPUs with and without VNNI, whose integer kernels in ONNX Runtime differ: natively, or in qemu if this CPU is of the
other kind."""

import pathlib
import re
import shutil
import sys

from program import execute, fresh_file, outputs_in

_FLAGS = re.findall(r"\w+", " ".join(re.findall(r"^flags\s*:(.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)[:1]))
HAS_VNNI = "avx512_vnni" in _FLAGS or "avx_vnni" in _FLAGS

# Haswell has AVX2 and no VNNI. qemu knows AVX2 from 7.2 on.
_EMULATOR = ["qemu-x86_64", "-cpu", "Haswell-noTSX"]


def _emulates():
    return shutil.which(_EMULATOR[0]) and re.search(r"version (7\.[2-9]|[89]\.|[1-9]\d)", execute(_EMULATOR[0], "--version"))


# The command in front of Python with which ONNX Runtime has no VNNI; None if there is no such CPU here.
WITHOUT_VNNI = [] if not HAS_VNNI else _EMULATOR if _emulates() else None


def run_on(command, model, paths):
    """Returns {output: stack} of a model over {input: path} with all optimizations, on the CPU of a command."""
    out = fresh_file("out")
    execute(*command, sys.executable, pathlib.Path(__file__).with_name("run_model.py"), model, out, "--level", "all",
            *(f"{name}={path}" for name, path in paths.items()))
    return outputs_in(out, model)
