"""Makes the wheel of `pip install PATH_OF_THE_CLONE` (PEP 517), for this machine and the Python that runs pip.

CMake and the libraries are the system's: scripts/setup installs them, and without them the error says so. What was
compiled stays in build/pip-PYTHON, so a second install compiles only what changed. pip keeps the output of a build to
itself (-v shows it), so the share that is done also goes to the terminal, if there is one.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time

import wheel_files

ROOT = wheel_files.ROOT
TARGETS = ["detent", "detent_codecs", "detent_python"]


def get_requires_for_build_wheel(config_settings=None):
    return []


def build_sdist(sdist_directory, config_settings=None):
    raise SystemExit("detent: there is no source archive; install the folder of the clone")


def tag_of_this_python():
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    system = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"{python}-{python}-{system}"


class Terminal:
    """Says on the user's terminal how far the build is, at each tenth."""

    def __init__(self):
        self.begun, self.said = time.time(), -1
        try:
            self.file = open("/dev/tty", "w", encoding="utf-8")  # as long as the process
        except OSError:
            self.file = None

    def show(self, done, of):
        tenth = 10 * done // of
        if tenth == self.said:
            return
        self.said = tenth
        used = time.time() - self.begun
        left = f", {used / done * (of - done) / 60:.0f} min left" if done > 2 and done < of else ""
        line = f"detent: {done} of {of} steps compiled{left}"
        print(line, flush=True)
        if self.file:
            print(f"\r\033[K  {line}", file=self.file, flush=True)


def fail(text):
    raise SystemExit(f"detent: {text}")


def configure(build):
    import pybind11  # pylint: disable=import-outside-toplevel # it is there only while a wheel is built

    missing = [program for program in ("cmake", "ninja", "g++") if not shutil.which(program)]
    if missing:
        fail(f"{' and '.join(missing)} missing; run {ROOT}/scripts/setup first")
    command = ["cmake", "--no-warn-unused-cli", "-G", "Ninja", "-S", str(ROOT), "-B", str(build), "-DCMAKE_BUILD_TYPE=Release", "-DDETENT_TESTS=OFF",
               f"-DPython_EXECUTABLE={sys.executable}", f"-Dpybind11_DIR={pybind11.get_cmake_dir()}"]
    if subprocess.run(command, check=False).returncode != 0:
        fail(f"CMake found not all that it needs (above; pip -v shows it); run {ROOT}/scripts/setup first")
    if not re.search(r"^build .*target_detent_python:", (build / "build.ninja").read_text(), re.M):
        fail(f"the headers of Python {sys.version_info.major}.{sys.version_info.minor} are missing: Debian has them in python3-dev")


def compile_all(build):
    terminal = Terminal()
    with subprocess.Popen(["cmake", "--build", str(build), "--target", *TARGETS], stdout=subprocess.PIPE, text=True) as run:
        for line in run.stdout:
            step = re.match(r"\[(\d+)/(\d+)\]", line)
            if step:
                terminal.show(int(step[1]), int(step[2]))
            else:
                sys.stdout.write(line)
    if run.returncode != 0:
        fail("the build failed (above; pip -v shows it)")


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    build = ROOT / f"build/pip-{sys.implementation.cache_tag}"
    build.mkdir(parents=True, exist_ok=True)
    configure(build)
    compile_all(build)
    version = re.search(r"^CMAKE_PROJECT_VERSION:\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.M)[1]
    tag = tag_of_this_python()
    name = f"{wheel_files.NAME}-{version}"
    with tempfile.TemporaryDirectory() as held:
        tree = pathlib.Path(held)
        package, info, scripts = tree / "detent", tree / f"{name}.dist-info", tree / f"{name}.data/scripts"
        for made in (package, info, scripts):
            made.mkdir(parents=True)
        module = build / "python/detent"
        for file in module.iterdir():
            if file.suffix in (".py", ".pyi", ".typed") or file.name.startswith("_detent."):
                shutil.copy(file, package)
        for file in (build / "detent", build / "libdetent_codecs.so"):
            shutil.copy(file, package)
        for file in package.iterdir():
            if file.suffix in (".so", ""):
                subprocess.run(["strip", "--strip-unneeded", file], check=True)
        wheel_files.write_script(scripts)
        shutil.copy(build / "copyright", info / "LICENSE")
        wheel_files.write_info(info, version, tag)
        wheel = f"{name}-{tag}.whl"
        wheel_files.pack(tree, pathlib.Path(wheel_directory) / wheel)
    return wheel
