# Toolchain of scripts/wheel: the clang of the Python package ziglang, which links against an old glibc and brings
# a static C++ library. DETENT_WHEEL_TOOLS: the virtual environment with it; DETENT_WHEEL_ROOT: the dependencies;
# DETENT_WHEEL_ARCHITECTURE: x86_64 or aarch64; DETENT_WHEEL_CPU: its oldest CPU; DETENT_WHEEL_EMULATOR: the command
# that starts its programs, if the machine has another architecture.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES DETENT_WHEEL_TOOLS DETENT_WHEEL_ROOT DETENT_WHEEL_ARCHITECTURE
  DETENT_WHEEL_CPU DETENT_WHEEL_EMULATOR)
if(DETENT_WHEEL_EMULATOR)
  set(CMAKE_SYSTEM_NAME Linux)
  set(CMAKE_SYSTEM_PROCESSOR ${DETENT_WHEEL_ARCHITECTURE})
  set(CMAKE_CROSSCOMPILING_EMULATOR ${DETENT_WHEEL_EMULATOR})
endif()
set(CMAKE_C_COMPILER ${DETENT_WHEEL_TOOLS}/bin/zig-cc)
set(CMAKE_CXX_COMPILER ${DETENT_WHEEL_TOOLS}/bin/zig-c++)
set(CMAKE_ASM_COMPILER ${DETENT_WHEEL_TOOLS}/bin/zig-cc)
foreach(language C CXX ASM)
  set(CMAKE_${language}_COMPILER_TARGET ${DETENT_WHEEL_ARCHITECTURE}-linux-gnu.2.28)
  # zig has two defaults that other compilers have not: traps for undefined behaviour, and line tables.
  set(CMAKE_${language}_FLAGS_INIT "-fno-sanitize=undefined -g0 -mcpu=${DETENT_WHEEL_CPU}")
endforeach()
# Nothing for debuggers. Symbols that a map names and a build lacks are no error, as with other linkers.
set(CMAKE_EXE_LINKER_FLAGS_INIT -Wl,-s)
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-Wl,-s -Wl,--undefined-version")
set(CMAKE_MODULE_LINKER_FLAGS_INIT "-Wl,-s -Wl,--undefined-version")
set(CCACHE_PROGRAM "" CACHE STRING "zig has a cache of its own")
# Nothing of the machine's own libraries, which ask for its glibc.
set(CMAKE_FIND_ROOT_PATH ${DETENT_WHEEL_ROOT} ${DETENT_WHEEL_TOOLS})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
