#!/bin/sh
# Installs engines that judge our files, each in a folder outside the source, once for each content of its list:
# requirements-NAME.txt for a virtual environment, web/package-lock.json for the modules of web. Prints nothing if
# nothing is to do.
#   tests/engines/install.sh [--path] [openvino|qnn|web|tokenizers|webgpu|rknn]...
#     default: openvino qnn web tokenizers
# --path only prints the folders.
# Exits 77 if an engine cannot be installed, after a line that names it; under CI=true 1 if that engine is OpenVINO, so
# that CI cannot lose its judge in silence. DETENT_ENGINES names another folder than ~/.cache/detent/engines,
# DETENT_REQUIREMENTS another folder of requirements-NAME.txt (bench/showcase has the peers of Detent),
# DETENT_PYTHON another Python than python3 (CPython 3.11 to 3.13 on x86-64 Linux; 3.11 for rknn), DETENT_NPM another
# npm than npm.
set -eu
cd "${DETENT_REQUIREMENTS:-$(dirname "$0")}"
cache=${DETENT_ENGINES:-${XDG_CACHE_HOME:-$HOME/.cache}/detent/engines}
only_path=
if [ "${1-}" = --path ]; then only_path=1 && shift; fi
[ $# -gt 0 ] || set -- openvino qnn web tokenizers

# fill NAME FOLDER: installs the engine into a folder.
fill() {
  if [ "$1" = web ]; then
    cp web/package.json web/package-lock.json "$2" &&
      "${DETENT_NPM:-npm}" --prefix "$2" ci --omit=dev --ignore-scripts --no-audit --no-fund </dev/null
    return
  fi
  python=python3
  [ "$1" != rknn ] || python=python3.11  # the only one that all its wheels are for
  "${DETENT_PYTHON:-$python}" -m venv "$2" &&
    "$2/bin/python" -m pip install --quiet --disable-pip-version-check --no-cache-dir --no-compile --no-deps \
      --only-binary=:all: --require-hashes -r "requirements-$1.txt" </dev/null
}

# install NAME FOLDER PROOF: makes the engine in a folder beside FOLDER and renames it when it is complete.
install() {
  mkdir -p "$cache"
  part=$(mktemp -d "$2.XXXXXX")
  trap 'rm -rf "$part"' EXIT
  if fill "$1" "$part" >"$part/log" 2>&1; then
    # Another process may have been faster; its engine is as good. mv -T never moves into an existing folder.
    mv -T "$part" "$2" 2>/dev/null || [ -e "$2/$3" ]
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
  list=requirements-$name.txt proof=bin/python
  [ "$name" != web ] || list=web/package-lock.json proof=node_modules/onnxruntime-web
  [ -f "$list" ] || {
    echo "install.sh: no engine '$name'; known are openvino, qnn, web, tokenizers, webgpu and rknn" >&2
    exit 2
  }
  folder=$cache/$name-$(sha256sum "$list" | cut -c1-16)
  [ -z "$only_path" ] || { echo "$folder"; continue; }
  [ ! -e "$folder/$proof" ] || continue
  echo "engines: installing $name"
  install "$name" "$folder" "$proof" && continue
  echo "engines: $name cannot be installed; the tests that need it are skipped" >&2
  if [ "$name" = openvino ] && [ "${CI-}" = true ]; then code=1; elif [ $code -eq 0 ]; then code=77; fi
done
exit $code
