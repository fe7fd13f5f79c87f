#!/bin/sh
# The output of every command fits a terminal of 80 columns, except for commands to copy, which stand on a line each.
. "$(dirname "$0")/expect.sh"
. "$here/networks.sh"
command -v script >/dev/null || { echo "skipped: no program 'script'"; exit 77; }
network net "(float[N, 3, 16, 16] a_picture_of_a_camera) => (float[N, 10] the_scores_of_the_classes)" "
  $(weight w1 8,3,3,3 216) $(weight w2 8,8,3,3 576) $(weight w3 8,8,3,3 576) $(weight w4 10,8 80)
  a = Conv <pads = [1, 1, 1, 1]> (a_picture_of_a_camera, w1)
  b = Relu (a)
  c = Conv <pads = [1, 1, 1, 1]> (b, w2)
  d = Relu (c)
  e = Conv <pads = [1, 1, 1, 1]> (d, w3)
  f = Add (e, b)
  p = GlobalAveragePool (f)
  q = Flatten (p)
  the_scores_of_the_classes = Gemm <transB = 1> (q, w4)"
net=in/net.onnx
data="--data random:normal,n=16 --quiet"
eval="--eval random:normal,n=8,seed=2"

# without_commands FILE: prints it without lines that are there to be copied: commands, and examples of the manual.
without_commands() { grep -vE '^ *(next: |hint: |\$ )?(detent|trtexec|python3?|benchmark_app) |^        --|^    [^ ]|^ +["{]' "$1"; }
wide_rows() { tr -d '\200-\277' | awk 'length > 80' | head -n 3; }  # characters, not bytes

# fits SENTENCE CODES ARG...: its exit code is one of CODES and no row of a terminal of 80 columns is wider.
fits() {
  sentence=$1 codes=$2
  shift 2
  cases=$((cases + 1))
  status=0
  script -qec "stty cols 80; '$DETENT' $*" /dev/null </dev/null >typed || status=$?
  tr -d '\r' <typed | sed 's/'"$(printf '\033')"'\[[0-9;]*[mK]//g' >stdout
  case " $codes " in *" $status "*) ;; *) fail "$sentence: exit $status, not $codes" ;; esac
  [ -s stdout ] || fail "$sentence: prints nothing"
  wide=$(without_commands stdout | wide_rows)
  [ -z "$wide" ] || fail "$sentence: wider than 80 columns: $wide"
  awk '/^ +--/ && broken { exit 1 } { broken = /^ *(next: |\$ )?(detent [a-z]|trtexec -)/ && !/\\$/ }' stdout ||
    fail "$sentence: a command goes on in another line without a backslash"
}

fits inspect 0 inspect $net
fits "inspect with data" "0 1" inspect $net --data random:normal,n=8
fits plan 0 plan $net --target onnxruntime
fits "plan with shapes" 0 plan $net --shape a_picture_of_a_camera=1,3,16,16 --all
for target in onnxruntime tensorrt openvino qnn rknn web tensorrt-rtx; do
  fits "quantize for $target" "0 1" quantize $net $data --target $target -o out/$target.onnx
done
fits "quantize, best" "0 1" quantize $net $data $eval --accuracy best --target onnxruntime --policy small-layers=quantize -o out/best.onnx
fits "quantize, bound" "0 1" quantize $net $data $eval --min-sqnr 25 --target onnxruntime --policy small-layers=quantize -o out/bound.onnx
fits "quantize, broken" "0 1" quantize $net $data --min-sqnr 90 --target onnxruntime --policy small-layers=quantize -o out/no.onnx
fits "quantize, several targets" "0 1" quantize $net $data --target onnxruntime --target openvino -o out/two.onnx
cat >in/timer <<'SH'
#!/bin/sh
echo 5
SH
chmod +x in/timer
fits "quantize, latency" "0 1" quantize $net $data --target onnxruntime --policy small-layers=quantize --latency-command in/timer -o out/fast.onnx
fits quantize-weights "0 1" quantize-weights $net $data --type int8 -o out/weights.onnx
fits calibrate 0 calibrate $net $data -o out/t.dct
fits "inspect of a table" 0 inspect out/t.dct
for shard in 1 2; do accepts "shard $shard" calibrate $net $data --shard $shard/2 -o out/$shard.dct; done
fits merge 0 merge out/1.dct out/2.dct -o out/m.dct
fits compare "0 1" compare $net $data $eval --target onnxruntime --policy small-layers=quantize
fits "compare targets" "0 1" compare $net $data $eval --targets tensorrt,onnxruntime,openvino,qnn
fits compare-types "0 1" compare-types $net $data $eval --types int8,fp8,int4
fits sensitivity 0 sensitivity $net $data $eval --policy small-layers=quantize
fits lint "0 1" lint out/tensorrt.onnx --target tensorrt
fits "lint for another engine" "0 1" lint out/qnn.onnx --target tensorrt
fits repair "0 1" repair out/onnxruntime.onnx --target tensorrt $data -o out/repaired.onnx
fits cast 0 cast $net $data --float-type fp16 -o out/half.onnx
fits run 0 run $net $data -o out/outputs --profile
"$DETENT" cache export out/t.dct --target tensorrt:8.6 -o out/cache >stdout 2>stderr && rm -f out/cache
fits "cache export" 0 cache export out/t.dct --target tensorrt:8.6 -o out/cache
fits "cache import" "0 14" cache import out/cache --model $net -o out/from.dct
fits help 0 help
for command in quantize compare plan explain; do
  fits "help $command" 0 help $command
  fits "help $command --long" 0 help $command --long
done
fits "an unknown command" 2 quantise $net

# Rows that are wider are found, and characters of several bytes are one column.
cases=$((cases + 1))
printf '%081d\n' 0 >typed
[ -n "$(without_commands typed | wide_rows)" ] || fail "a row of 81 columns is not found"
printf '%079d±\n' 0 >typed
[ -z "$(without_commands typed | wide_rows)" ] || fail "a row of 80 columns is said to be wider"
finish
