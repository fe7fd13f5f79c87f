# shellcheck shell=sh
# Sourced after expect.sh: small networks as ONNX text.
: "${MAKE_FILES:?the program that makes files for tests}"

# numbers COUNT: deterministic, between -0.5 and 0.5, comma separated.
numbers() { awk -v n="$1" 'BEGIN { for (i = 1; i <= n; ++i) printf "%s%.4f", (i == 1 ? "" : ", "), (i * 7919 % 1000) / 1000 - 0.5 }'; }

# weight NAME DIMS COUNT: a Constant node.
weight() { echo "$1 = Constant <value = float[$2] {$(numbers "$3")}> ()"; }

# network NAME SIGNATURE BODY: in/NAME.onnx of opset 13.
network() {
  printf '<ir_version: 8, opset_import: [%s]>\ng %s {\n%s\n}\n' "${opset:-\"\" : 13}" "$2" "$3" >"in/$1.txt"
  "$MAKE_FILES" model "in/$1.txt" "in/$1.onnx" || fail "the test's network '$1' cannot be made"
}

# array NAME DIMS SEED [TYPE]: in/NAME.npy of random numbers.
array() { "$MAKE_FILES" npy "in/$1.npy" "$2" "$3" ${4:+"$4"} || fail "the test's array '$1' cannot be made"; }
