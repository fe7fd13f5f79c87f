#!/bin/sh
# detent verify on small models: integers, several outputs of which one is wrong, outputs without data.
. "$(dirname "$0")/expect.sh"
: "${WRITE_MODEL:?the program that writes models}"

# floats FILE BYTES, integers FILE BYTES: a TensorProto of two elements, given as octal bytes.
floats() { printf '\010\002\020\001\112\010'"$2" >"$1"; }
integers() { printf '\010\002\020\007\112\020'"$2" >"$1"; }
one='\000\000\200\077' two='\000\000\000\100' three='\000\000\100\100'
long_one='\001\000\000\000\000\000\000\000' long_two='\002\000\000\000\000\000\000\000'
# folder NAME: the model y = |x|, n = x as integers, z = x + x, with the input (1, 2).
folder() {
  mkdir -p "in/$1/test_data_set_0"
  printf '<ir_version: 8, opset_import: ["" : 17]> g (float[2] x) => (float[2] y, int64[2] n, float[2] z)
   { y = Abs (x)  n = Cast <to = 7> (x)  z = Add (x, x) }' | "$WRITE_MODEL" "in/$1/model.onnx"
  floats "in/$1/test_data_set_0/input_0.pb" "$one$two"
}
output() { echo "in/$1/test_data_set_0/output_$2.pb"; }

folder right
floats "$(output right 0)" "$one$two"
integers "$(output right 1)" "$long_one$long_two"
floats "$(output right 2)" "$two\\000\\000\\200\\100"
accepts "equal outputs" verify in/right
grep -q '^passed  *in/right/model.onnx  exact$' stdout || fail "equal outputs are not called exact"

folder integers
cp "$(output right 0)" "$(output integers 0)"
integers "$(output integers 1)" "$long_two$long_two"
cp "$(output right 2)" "$(output integers 2)"
run verify in/integers
[ "$code" -eq 1 ] || fail "other integers: exit $code, expected 1"
grep -q "output 'n': 1 of 2 integers differ, .* (1 of 3 outputs)" stdout || fail "other integers are not told"
if grep -q 'worst error' stdout; then fail "integers have a relative error"; fi

folder last
cp "$(output right 0)" "$(output last 0)"
cp "$(output right 1)" "$(output last 1)"
floats "$(output last 2)" "$two$three"
run verify in/last
[ "$code" -eq 1 ] || fail "one wrong output: exit $code, expected 1"
grep -q "worst error 0.33 of the largest value  test_data_set_0, output 'z'.* (1 of 3 outputs)" stdout ||
  fail "two exact outputs hide the third"

folder some
cp "$(output right 0)" "$(output some 0)"
accepts "outputs without data" verify in/some
grep -q '(1 of 3 outputs compared: there are no data for the others)' stdout || fail "two outputs were passed over in silence"
folder many
for i in 0 2 3; do cp "$(output right 0)" "$(output many $i)"; done
cp "$(output right 1)" "$(output many 1)"
run verify in/many
[ "$code" -eq 1 ] || fail "more outputs than the model has: exit $code, expected 1"
grep -q 'holds 4 outputs, the model has 3' stdout || fail "data without an output were passed over in silence"
finish
