"""Builds what Detent's wheels are made with, for an old glibc, below a folder: tools in tools, and for each architecture
static libraries in ARCHITECTURE/root and each Python in ARCHITECTURE/python.

The libraries are Debian's source packages. A finished one has a mark, and is built again when its row changes. An
interrupted build continues with the first library that has no mark.
"""

import dataclasses
import functools
import hashlib
import pathlib
import platform
import resource
import shlex
import shutil
import subprocess
import time
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
# Each library's source package of Debian (NAME==VERSION: of Python's index), the folder of its CMakeLists.txt and
# CMake's options. A library may need those before it.
LIBRARIES = {
    "zlib": ("zlib", ".", ""),
    "zip": ("libzip", ".",
        "ENABLE_GNUTLS=OFF ENABLE_OPENSSL=OFF ENABLE_BZIP2=OFF ENABLE_LZMA=OFF ENABLE_ZSTD=OFF BUILD_TOOLS=OFF "
        "BUILD_REGRESS=OFF BUILD_EXAMPLES=OFF BUILD_DOC=OFF"),
    "pugixml": ("pugixml", ".", ""),
    "utf8proc": ("utf8proc", ".", ""),
    "pcre2": ("pcre2", ".", "PCRE2_BUILD_PCRE2GREP=OFF PCRE2_BUILD_TESTS=OFF PCRE2_SUPPORT_JIT=ON"),
    "fmt": ("fmtlib", ".", "FMT_TEST=OFF FMT_DOC=OFF"),
    "hwy": ("highway", ".", "BUILD_TESTING=OFF HWY_ENABLE_EXAMPLES=OFF"),
    "tbb": ("onetbb", ".", "TBB_TEST=OFF TBB_STRICT=OFF TBBMALLOC_BUILD=OFF"),
    "omp": ("llvm-toolchain-19", "openmp",
        "OPENMP_STANDALONE_BUILD=ON LIBOMP_INSTALL_ALIASES=OFF LIBOMP_OMPT_SUPPORT=OFF "
        "OPENMP_ENABLE_OMPT_TOOLS=OFF OPENMP_ENABLE_LIBOMPTARGET=OFF LIBOMP_OMPD_SUPPORT=OFF "
        # Looks for no compiler of its tests: zig would build the sanitizers for that.
        "OPENMP_TEST_C_COMPILER=/bin/false OPENMP_TEST_CXX_COMPILER=/bin/false"),
    "protobuf": ("protobuf", ".", "protobuf_BUILD_TESTS=OFF protobuf_BUILD_PROTOC_BINARIES=OFF"),
    "onnx": ("onnx==1.12.0", ".",
        "ONNX_USE_PROTOBUF_SHARED_LIBS=OFF ONNX_ML=ON ONNX_BUILD_TESTS=OFF "
        "ONNX_CUSTOM_PROTOC_EXECUTABLE=/usr/bin/protoc ONNX_GEN_PB_TYPE_STUBS=OFF"),
    "jpeg": ("libjpeg-turbo", ".", "ENABLE_SHARED=OFF WITH_TURBOJPEG=OFF REQUIRE_SIMD=ON"),
    "png": ("libpng1.6", ".", "PNG_SHARED=OFF PNG_TESTS=OFF"),
    "webp": ("libwebp", ".",
        "WEBP_BUILD_ANIM_UTILS=OFF WEBP_BUILD_CWEBP=OFF WEBP_BUILD_DWEBP=OFF WEBP_BUILD_GIF2WEBP=OFF "
        "WEBP_BUILD_IMG2WEBP=OFF WEBP_BUILD_VWEBP=OFF WEBP_BUILD_WEBPINFO=OFF WEBP_BUILD_WEBPMUX=OFF "
        "WEBP_BUILD_EXTRAS=OFF"),
    "tiff": ("tiff", ".",
        "tiff-tools=OFF tiff-tests=OFF tiff-contrib=OFF tiff-docs=OFF cxx=OFF jbig=OFF lerc=OFF lzma=OFF zstd=OFF "
        "libdeflate=OFF"),
    "flac": ("flac", ".",
        "WITH_OGG=OFF BUILD_CXXLIBS=OFF BUILD_PROGRAMS=OFF BUILD_EXAMPLES=OFF BUILD_TESTING=OFF BUILD_DOCS=OFF "
        "INSTALL_MANPAGES=OFF"),
    "opencv": ("opencv", ".",
        "BUILD_LIST=core,imgproc BUILD_TESTS=OFF BUILD_PERF_TESTS=OFF BUILD_opencv_apps=OFF BUILD_JAVA=OFF "
        "WITH_TBB=OFF WITH_OPENCL=OFF WITH_IPP=OFF WITH_LAPACK=OFF WITH_EIGEN=OFF WITH_ITT=OFF WITH_PROTOBUF=OFF "
        "WITH_QUIRC=OFF WITH_ADE=OFF WITH_OPENMP=OFF WITH_VA=OFF WITH_VULKAN=OFF WITH_OPENJPEG=OFF WITH_JASPER=OFF "
        "WITH_OPENEXR=OFF WITH_JPEG=OFF WITH_PNG=OFF WITH_TIFF=OFF WITH_WEBP=OFF WITH_IMGCODEC_HDR=OFF BUILD_ZLIB=OFF "
        "OPENCV_GENERATE_PKGCONFIG=OFF"),
}
# Changes of a library's files: the file, the old text and the new one.
EDITS = {
    # A file for Windows that Debian leaves out.
    "zlib": ("CMakeLists.txt", "win32/zlib1.rc # If", "# If"),
    # Sorting, which takes longer to compile than all else of the library.
    "hwy": ("CMakeLists.txt", 'file(GLOB HWY_CONTRIB_SOURCES "hwy/contrib/sort/vqsort_*.cc")', ""),
    # Another OpenMP of this family in the process, such as MKL's, would end it: each finds the other by this name.
    "omp": ("openmp/runtime/src/kmp_runtime.cpp", "__KMP_REGISTERED_LIB", "__DETENT_REGISTERED_LIB"),
}
# Debian packages of headers only, taken as they are.
HEADERS = ["libeigen3-dev", "libcli11-dev", "nlohmann-json3-dev"]
# Binaries of Python with its headers, from Maven's artifact org.bytedeco:cpython. It has no 3.13 for aarch64.
PYTHONS = {"3.10": "3.10.8-1.5.8", "3.11": "3.11.3-1.5.9", "3.12": "3.12.1-1.5.10", "3.13": "3.13.5-1.5.12"}


@dataclasses.dataclass(frozen=True)
class Architecture:
    cpu: str  # the oldest CPU, in zig's words
    python: str  # the architecture's name in Maven
    options: dict  # CMake's options of a library beside those of its row
    onednn: bool  # whether the program computes with oneDNN; tools has a binary of it
    debian: str  # the architecture's name in Debian
    pythons: tuple


ARCHITECTURES = {
    # zig needs evex512 for vectors of 512 bits even in functions for AVX-512.
    "x86_64": Architecture("x86_64+evex512", "linux-x86_64", {"opencv": "CPU_DISPATCH=SSE4_1,AVX2"}, True, "amd64", tuple(PYTHONS)),
    # Without awk libpng takes its ready header; its scripts that make one ask the compiler for this machine's code.
    "aarch64": Architecture("generic", "linux-arm64", {"opencv": "CPU_DISPATCH= WITH_CAROTENE=OFF", "png": "AWK=OFF"}, False,
                            "arm64", ("3.10", "3.11", "3.12")),
}
# Debian's packages with the system's libraries that programs of another architecture need in the emulator.
SYSTEM = ["libc6", "libgcc-s1", "libstdc++6", "zlib1g"]


def run(*command, **more):
    subprocess.run([str(word) for word in command], check=True, **more)


def cpu_seconds():
    """Returns the CPU time of the programs that were run, which other work on the machine does not change."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Place:
    """The folder that all is built in, for one architecture."""

    def __init__(self, folder, architecture):
        self.folder, self.name, self.architecture = folder, architecture, ARCHITECTURES[architecture]
        own = folder / architecture
        self.tools, self.root, self.python = folder / "tools", own / "root", own / "python"
        self.marks, self.sources, self.system = own / "finished", own / "sources", own / "system"
        # Starts a program of the architecture, if this machine has another.
        emulated = platform.machine() != architecture
        self.emulator = [f"qemu-{architecture}", "-L", str(self.system)] if emulated else []
        self.common_marks = folder / "finished"  # of what serves all architectures
        for made in (self.root / "licenses", self.python, self.common_marks, self.marks, self.sources):
            made.mkdir(parents=True, exist_ok=True)

    def once(self, mark, key, make):
        """Calls make() unless that was done for this key."""
        text = hashlib.sha256(repr(key).encode()).hexdigest()
        if not mark.exists() or mark.read_text() != text:
            begun, used = time.time(), cpu_seconds()
            print(f"wheel: {mark.name}", end="", flush=True)
            make()
            mark.write_text(text)
            print(f", {time.time() - begun:.0f} s, {cpu_seconds() - used:.0f} s of CPU", flush=True)


def make_tools(place):
    run("/usr/bin/python3", "-m", "venv", "--clear", place.tools)
    run(place.tools / "bin/pip", "install", "--quiet", "--no-deps", "-r", HERE / "wheel_tools.txt")
    (zig,) = place.tools.glob("lib/python3*/site-packages/ziglang/zig")
    for name in ("cc", "c++"):  # one word, as some builds expect
        file = place.tools / f"bin/zig-{name}"
        file.write_text(f'#!/bin/sh\nexport ZIG_GLOBAL_CACHE_DIR="{place.folder}/cache"\nexec "{zig}" {name} "$@"\n')
        file.chmod(0o755)


@functools.cache
def debian_sources(place, kind="deb-src", *more):
    """Returns apt's options for the packages of a kind in the machine's own list, and reads their list."""
    settings = place.folder / "apt" / kind
    for folder in ("sources", "lists/partial", "cache/archives/partial"):
        (settings / folder).mkdir(parents=True, exist_ok=True)
    own = pathlib.Path("/etc/apt/sources.list.d/debian.sources")
    if own.exists():
        lines = [f"Types: {kind}" if line.startswith("Types:") else line for line in own.read_text().splitlines()]
        (settings / "sources/debian.sources").write_text("\n".join(lines) + "\n")
    else:
        lines = pathlib.Path("/etc/apt/sources.list").read_text().splitlines()
        sources = [kind + line.removeprefix("deb") for line in lines if line.startswith("deb ")]
        (settings / "sources/debian.list").write_text("\n".join(sources) + "\n")
    options = ["-o", "Dir::Etc::sourcelist=/dev/null", "-o", f"Dir::Etc::sourceparts={settings}/sources", "-o",
               f"Dir::State::lists={settings}/lists", "-o", f"Dir::Cache={settings}/cache", "-o", "APT::Sandbox::User=root", *more]
    run("apt-get", *options, "-qq", "update")
    return options


def fetch_debian(place, package, folder):
    options = debian_sources(place)
    shown = subprocess.run(["apt-cache", *options, "showsrc", "--only-source", package], check=True, text=True, capture_output=True)
    versions = [line.split()[1] for line in shown.stdout.splitlines() if line.startswith("Version:")]
    # The newest that can be had: a mirror may lack what its list names.
    for version in sorted(set(versions), key=functools.cmp_to_key(compare_versions), reverse=True):
        if subprocess.run(["apt-get", *options, "-qq", "source", "--download-only", f"{package}={version}"], cwd=folder).returncode == 0:
            (description,) = folder.glob("*.dsc")
            run("dpkg-source", "--no-check", "-x", description, folder / "unpacked", cwd=folder, stdout=subprocess.DEVNULL)
            return
        for file in folder.iterdir():
            file.unlink()
    raise SystemExit(f"wheel: no source of {package}: {versions}")


def compare_versions(a, b):
    return 1 if subprocess.run(["dpkg", "--compare-versions", a, "gt", b]).returncode == 0 else -1


def fetch(place, package):
    """Returns the folder of a package's sources."""
    folder = place.sources / package
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    if "==" in package:
        run(place.tools / "bin/pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", "-d", folder, package)
        (archive,) = folder.glob("*.tar.gz")
        (folder / "unpacked").mkdir()
        run("tar", "xf", archive, "-C", folder / "unpacked", "--strip-components=1")
    else:
        fetch_debian(place, package, folder)
    return folder / "unpacked"


def build(place, name):
    package, inner, options = LIBRARIES[name]
    options += " " + place.architecture.options.get(name, "")
    source = fetch(place, package)
    if name in EDITS:
        file, old, new = EDITS[name]
        text = (source / file).read_text()
        assert old in text, file
        (source / file).write_text(text.replace(old, new))
    tree = place.root.parent / "build" / name
    shutil.rmtree(tree, ignore_errors=True)
    tree.mkdir(parents=True)
    with open(tree / "log", "w") as log:
        quiet = {"stdout": log, "stderr": subprocess.STDOUT}
        try:
            run("cmake", *common(place), f"-DCMAKE_INSTALL_PREFIX={place.root}", "-DCMAKE_CXX_STANDARD=17", *[f"-D{option}" for option in options.split()],
                "-S", source / inner, "-B", tree, **quiet)
            run("cmake", "--build", tree, **quiet)
            run("cmake", "--install", tree, **quiet)
        except subprocess.CalledProcessError:
            log.flush()
            raise SystemExit("".join(open(tree / "log").readlines()[-40:]) + f"wheel: {name} cannot be built: {tree}/log")
    for static in (place.root / "lib").glob("*.a"):  # CMake would take the shared one
        for shared in static.parent.glob(f"{static.stem}.so*"):
            shared.unlink()
    copyright = source / "debian/copyright"
    shutil.copy(copyright if copyright.exists() else source / "LICENSE", place.root / "licenses" / name)
    shutil.rmtree(tree)
    shutil.rmtree(source.parent)


def common(place):
    """Returns CMake's arguments for all that is built."""
    return ["-G", "Ninja", f"-DCMAKE_TOOLCHAIN_FILE={HERE}/manylinux.cmake", f"-DDETENT_WHEEL_TOOLS={place.tools}",
            f"-DDETENT_WHEEL_ROOT={place.root}", f"-DDETENT_WHEEL_ARCHITECTURE={place.name}",
            f"-DDETENT_WHEEL_CPU={place.architecture.cpu}", f"-DDETENT_WHEEL_EMULATOR={';'.join(place.emulator)}",
            "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_C_FLAGS_RELEASE=-O2 -DNDEBUG",
            "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG", "-DCMAKE_POSITION_INDEPENDENT_CODE=ON", "-DBUILD_SHARED_LIBS=OFF",
            "-DCMAKE_INSTALL_LIBDIR:STRING=lib", "-DCMAKE_POLICY_DEFAULT_CMP0074=NEW"]


def copy_headers(place):
    for package in HEADERS:
        listed = subprocess.run(["dpkg", "-L", package], check=True, text=True, capture_output=True).stdout
        for file in map(pathlib.Path, listed.splitlines()):
            if file.is_file() and "doc" not in file.parts:
                to = place.root / file.relative_to("/usr")
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, to)
        shutil.copy(f"/usr/share/doc/{package}/copyright", place.root / "licenses" / package)


def fetch_python(place, name):
    run("mvn", "-q", "-B", "-Dstyle.color=never", "dependency:copy", f"-Dartifact=org.bytedeco:cpython:{PYTHONS[name]}:jar:{place.architecture.python}",
        f"-DoutputDirectory={place.python}")
    jar = place.python / f"cpython-{PYTHONS[name]}-{place.architecture.python}.jar"
    inside, to = f"org/bytedeco/cpython/{place.architecture.python}/", place.python / name
    shutil.rmtree(to, ignore_errors=True)
    with zipfile.ZipFile(jar) as archive:
        for entry in archive.infolist():
            if entry.filename.startswith(inside) and not entry.is_dir():
                file = to / entry.filename.removeprefix(inside)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(archive.read(entry))
    program = to / f"bin/python{name}"
    program.chmod(0o755)
    if place.emulator:
        real = program.rename(program.with_name(f"{program.name}-{place.name}"))
        program.write_text(f'#!/bin/sh\nexec {shlex.join(place.emulator)} "{real}" "$@"\n')
        program.chmod(0o755)
    for module in to.glob("lib/python*/lib-dynload/_ctypes.*.so"):  # its libffi lies beside bin
        run(place.tools / "bin/patchelf", "--set-rpath", "$ORIGIN/../../..", module)
    jar.unlink()


def fetch_system(place):
    """Unpacks the system's libraries of another architecture."""
    architecture = place.architecture.debian
    options = debian_sources(place, "deb", "-o", f"APT::Architecture={architecture}", "-o", f"APT::Architectures={architecture}")
    packages = place.sources / "system"
    packages.mkdir(exist_ok=True)
    run("apt-get", *options, "-qq", "download", *SYSTEM, cwd=packages)
    for package in packages.glob("*.deb"):
        run("dpkg-deb", "-x", package, place.system)
    shutil.rmtree(packages)


def make_all(folder, architecture, pythons):
    place = Place(folder, architecture)
    place.once(place.common_marks / "tools", (HERE / "wheel_tools.txt").read_text(), lambda: make_tools(place))
    compiler = (HERE / "manylinux.cmake").read_text()
    if place.emulator:
        place.once(place.marks / "system", SYSTEM, lambda: fetch_system(place))
    place.once(place.marks / "headers", HEADERS, lambda: copy_headers(place))
    for name in pythons or place.architecture.pythons:
        place.once(place.marks / f"python{name}", PYTHONS[name], lambda: fetch_python(place, name))
    for name, row in LIBRARIES.items():
        key = (row, *EDITS.get(name, ()), compiler, place.architecture.cpu, place.architecture.options.get(name))
        place.once(place.marks / name, key, lambda: build(place, name))
    return place

