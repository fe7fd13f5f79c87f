#!/bin/sh
# on_instruction_set.sh DETENT ISA TEST_PROGRAM...: runs the tests of kernels with an instruction set of oneDNN
# (sse41, avx2, avx2_vnni, avx512_core, avx512_core_vnni, avx512_core_bf16, avx512_core_amx). Exits 77, which skips,
# where this CPU lacks it.
set -u
detent=$1 isa=$2
shift 2
ONEDNN_MAX_CPU_ISA=$(echo "$isa" | tr a-z A-Z)
export ONEDNN_MAX_CPU_ISA
case "$("$detent" --version)" in
  *"($isa"[,\)]*) exec "$@" ;;
esac
echo "skipped: this CPU has no $isa"
exit 77
