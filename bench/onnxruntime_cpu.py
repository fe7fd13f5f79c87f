"""Runs this program again with an ONNX Runtime that does not use some instructions of the CPU."""

import os
import pathlib
import shutil
import sys
import tempfile

import onnxruntime

# Machine code of the tests of CPUID in MLAS_PLATFORM's constructor (onnxruntime/core/mlas/lib/platform.cpp) of the
# pinned version: (bytes, bytes with an empty mask). With an empty mask the test always fails.
VNNI_OF_256_BITS = ("0fa2a810", "0fa2a800")  # cpuid; test al, 0x10
VNNI_OF_512_BITS = ("81e700080000f30f7e05", "81e700000000f30f7e05")  # and edi, 0x800; movq xmm0
AVX512 = ("41f7c20000010074", "41f7c20000000074")  # test r10d, 0x10000; je
WITHHELD = {"avx512": (VNNI_OF_256_BITS, VNNI_OF_512_BITS), "avx2": (VNNI_OF_256_BITS, AVX512)}
MARK = "DETENT_ONNXRUNTIME_CPU"


def restrict_to(cpu):
    """Returns in the second run, and if `cpu` asks for the CPU as it is; else runs this program with a changed copy of
    the package in front of its path, and ends."""
    if cpu == "native" or os.environ.get(MARK) == cpu:
        return
    if cpu not in WITHHELD:
        sys.exit(f"--instructions {cpu}: known are native, {', '.join(WITHHELD)}")
    package = pathlib.Path(onnxruntime.__file__).parent
    with tempfile.TemporaryDirectory(prefix="detent-onnxruntime-") as folder:
        copy = pathlib.Path(folder) / package.name
        shutil.copytree(package, copy)
        (library,) = (copy / "capi").glob("onnxruntime_pybind11_state.*.so")
        code = library.read_bytes()
        for before, after in WITHHELD[cpu]:
            if code.count(bytes.fromhex(before)) != 1:
                sys.exit(f"{library.name}: not the build that --instructions knows")
            code = code.replace(bytes.fromhex(before), bytes.fromhex(after))
        library.write_bytes(code)
        path = os.pathsep.join([folder, *filter(None, [os.environ.get("PYTHONPATH")])])
        status = os.spawnve(os.P_WAIT, sys.executable, [sys.executable, *sys.argv],
                            os.environ | {"PYTHONPATH": path, MARK: cpu})
    sys.exit(status)
