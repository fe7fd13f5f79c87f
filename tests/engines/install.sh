#!/bin/sh
# Installs engines that judge our files, each in a virtual environment outside the source, once for each content of
# requirements-NAME.txt. Prints nothing if nothing is to do.
#   tests/engines/install.sh [--path] [openvino|qnn|rknn|tokenizers]...   default: all except rknn; --path only prints
#     the folders
# Exits 77 if an engine cannot be installed, after a line that names it; under CI=true 1 if that engine is OpenVINO, so
# that CI cannot lose its judge in silence. DETENT_ENGINES names another folder than ~/.cache/detent/engines,
# DETENT_REQUIREMENTS another folder of requirements-NAME.txt (bench/showcase has the peers of Detent),
# DETENT_PYTHON another Python than python3 (CPython 3.11 to 3.13 on x86-64 Linux; 3.11 for rknn).
set -eu
cd "${DETENT_REQUIREMENTS:-$(dirname "$0")}"
cache=${DETENT_ENGINES:-${XDG_CACHE_HOME:-$HOME/.cache}/detent/engines}
only_path=
if [ "${1-}" = --path ]; then only_path=1 && shift; fi
[ $# -gt 0 ] || set -- openvino qnn tokenizers

# install NAME FOLDER: makes the environment in a folder beside FOLDER and renames it when it is complete.
install() {
  mkdir -p "$cache"
  part=$(mktemp -d "$2.XXXXXX")
  trap 'rm -rf "$part"' EXIT
  python=python3
  [ "$1" != rknn ] || python=python3.11  # the only one that all its wheels are for
  if "${DETENT_PYTHON:-$python}" -m venv "$part" >"$part/log" 2>&1 &&
    "$part/bin/python" -m pip install --quiet --disable-pip-version-check --no-cache-dir --no-compile --no-deps \
      --only-binary=:all: --require-hashes -r "requirements-$1.txt" >>"$part/log" 2>&1 </dev/null; then
    # Another process may have been faster; its environment is as good. mv -T never moves into an existing folder.
    mv -T "$part" "$2" 2>/dev/null || [ -x "$2/bin/python" ]
    result=$?
    rm -rf "$part"
    return $result
  fi
  sed 's/^/  /' "$part/log" | tail -n 5 >&2
  rm -rf "$part"
  return 1
}

code=0
for name; do
  [ -f "requirements-$name.txt" ] || {
    echo "install.sh: no engine '$name'; known are openvino, qnn, rknn and tokenizers" >&2
    exit 2
  }
  folder=$cache/$name-$(sha256sum "requirements-$name.txt" | cut -c1-16)
  [ -z "$only_path" ] || { echo "$folder"; continue; }
  [ ! -x "$folder/bin/python" ] || continue
  echo "engines: installing $name"
  install "$name" "$folder" && continue
  echo "engines: $name cannot be installed; the tests that need it are skipped" >&2
  if [ "$name" = openvino ] && [ "${CI-}" = true ]; then code=1; elif [ $code -eq 0 ]; then code=77; fi
done
exit $code
