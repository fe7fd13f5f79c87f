#!/bin/sh
# run_test.sh SCRIPT.py [ARGUMENT...]: runs a test or a table of this folder in the environment of OpenVINO, which has
# ONNX Runtime 1.32 (../engines/install.sh), or names what is missing and exits 77 (CTest: skipped). Files that ONNX
# Runtime refuses up to 1.31 are tested in the environment of QNN, which has 1.24.
# Environment: DETENT (the program), DETENT_MODELS (comma separated), DETENT_SHARED.
set -eu
cd "$(dirname "$0")"
case "${DETENT_MODELS-}" in
  sample | sample,branching) ;;
  *)
    [ -d "${DETENT_SHARED-../../../shared}/models" ] || {
      echo "SKIPPED $1 (${DETENT_MODELS-all models}): no shared folder with models at '${DETENT_SHARED-}'"
      exit 77
    } ;;
esac
engine=openvino
case "$1" in absorbed_activations_test.py | scalar_scales_test.py) engine=qnn ;; esac
script=$PWD/$1
shift
exec ../engines/run_test.sh $engine "$script" "$@"
