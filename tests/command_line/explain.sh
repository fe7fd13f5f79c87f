#!/bin/sh
# explain: what a made-up engine became, in text, JSON and a page; other files are refused.
. "$(dirname "$0")/expect.sh"
. "$here/engines.sh"

accepts "an engine with its times" explain in/layers.json --profile in/profile.json
for words in "INT8 60.0 %, FP16 0.0 %, FP32 20.0 %, reformats, quantizers and copies 20.0 % of the time" \
  "2 quantizers by themselves, 0 reformats, 0 copies; unexplained 0.0 %" "the network's input is fp32" \
  "MaxPool_3 has no pair in front of it" "cure: detent quantize --include MaxPool_3" "shares tell, sums do not"; do
  grep -qF -e "$words" stdout || fail "the text does not say '$words'"
done
first_reason=$(sed -n '/^why slow, what to do first$/,/^$/p' stdout | head -n 4)
case $first_reason in
  *"1. 10.0 % in 1 layer"*) ;;
  *) fail "the text does not begin with the dearest reason: $first_reason" ;;
esac
accepts "the same as JSON" explain in/layers.json --profile in/profile.json --json
grep -q '"form": "detailed"' stdout || fail "the JSON does not name the form"
[ "$(grep -c '"kind": "quantize"' stdout)" -eq 2 ] || fail "the JSON holds other quantizers"
[ "$(grep -c '"kind": "none"' stdout)" -eq 1 ] || fail "a NoOp is not none"
for key in engine form layers name nodes inputs arithmetic output kind ms share cause cure summary int8_share fp16_share \
  fp32_share reformat_share reformats standalone_quantize; do
  grep -q "^ *\"$key\":" stdout || fail "the JSON has no '$key'"
done
sed -e 's/"Format\/Datatype": "\([^"]*\)"/"Format": "", "Datatype": "\1"/g' \
  -e 's/"Bindings": \["x", "y"\]/"I\/O Tensors": [{"Name": "x"}, {"Name": "y"}]/' in/layers.json >in/eleven.json
cmp -s in/layers.json in/eleven.json && fail "the engine of TensorRT 11 has the same form"
accepts "the same engine in the form of TensorRT 11" explain in/eleven.json --profile in/profile.json
for words in "INT8 60.0 %" "the network's input is fp32" "MaxPool_3 has no pair in front of it" "--target tensorrt:11"; do
  grep -qF -e "$words" stdout || fail "the form of TensorRT 11 is not read: '$words'"
done
sed 's/Int8/INT8/g' in/layers.json >in/capitals.json
accepts "INT8 in capitals" explain in/capitals.json --profile in/profile.json
grep -qF "INT8 60.0 %" stdout || fail "INT8 in capitals is not INT8"
echo '{"Layers": ["w_quantized + Conv_1", "{ForeignNode[/head/Mul.../Concat_1]}"], "Bindings": []}' >in/names.json
accepts "names of layers" explain in/names.json
for words in "block {ForeignNode[/head/Mul.../Concat_1]}" "parts of the network that are compiled as one" "unexplained 0.0 %"; do
  grep -qF -e "$words" stdout || fail "a block is not named as one: '$words'"
done
accepts "an engine without times" explain in/layers.json
grep -q 'of the layers$' stdout || fail "the shares do not count layers"
if grep -q 'sums do not' stdout; then fail "times are mentioned where there are none"; fi

accepts "another engine" explain in/layers.json --profile in/profile.json --against in/fused.json
for words in "1 layer alike, 1 different" "here   int8 -> fp32 | fp32 -> fp32  a.weight + conv_a + Relu_2 | MaxPool_3" "there  int8 -> int8  a.weight + conv_a + Relu_2 + MaxPool_3"; do
  grep -qF -e "$words" stdout || fail "the differences do not say '$words'"
done
accepts "the same engine" explain in/layers.json --against in/layers.json
grep -q '3 layers alike, 0 different' stdout || fail "an engine differs from itself"

accepts "predictions" explain in/coded.json --model in/coded.onnx
for words in "2 quantizers predicted by themselves, 2 of them are, of 2 in the engine" \
  "1 of 1 node predicted right: in the layer of the Conv in front, or not" \
  "1 place predicted to have a reformat each at most; 1 of 1 reformat in the engine stand there" \
  "1 copy predicted for Concats, 1 of them are in the engine"; do
  grep -qF -e "$words" stdout || fail "the predictions do not say '$words'"
done
sed -e '/Resize_4\|r copy/d' -e 's/Conv_2 + Relu_3"/Conv_2"/' -e 's/"Name": "Softmax_10"/"Name": "Softmax_10 + Relu_3"/' in/coded.json >in/other_coded.json
accepts "predictions that are wrong" explain in/other_coded.json --model in/coded.onnx
for words in "0 of 1 node predicted right" "  Relu_3: predicted in the layer of Conv_2" "1 copy predicted for Concats, 0 of them"; do
  grep -qF -e "$words" stdout || fail "wrong predictions are not told: '$words'"
done

accepts "a page" explain in/layers.json --profile in/profile.json --against in/fused.json --html out/page.html
for words in 'id="layer-table"' 'class="share"' 'id="difference-table"' 'has no pair in front of it' \
  'To do: detent quantize --include MaxPool_3'; do
  grep -qF -e "$words" out/page.html || fail "the page has no $words"
done
[ "$(grep -o '<svg class="share"' out/page.html | wc -l)" -eq 6 ] || fail "the page has not a bar for each layer"
cp out/page.html in/first.html
accepts "the page again" explain in/layers.json --profile in/profile.json --against in/fused.json --html out/page.html --overwrite
sed 's/ --overwrite//' out/page.html | cmp -s - in/first.html || fail "equal runs give other pages"
rm out/page.html

accepts "ONNX Runtime's profile" explain in/events.json
grep -q "ONNX Runtime's profile, 3 nodes" stdout || fail "the profile is not recognized"
grep -q 'INT8 96.0 %' stdout || fail "uint8 is not INT8"

accepts "the log of Rockchip's compiler" explain in/compiler.log
for words in "Rockchip's compiler, 3 layers" "INT8 75.0 %, FP16 25.0 %" "of the estimated time; layers add to 4.0000 ms" \
  "times are estimates: the cycles that the compiler names, at 1 GHz" "the NPU does not run this Reshape" \
  "layers on the chip's CPU, whose time the compiler does not estimate" "values that they read or write have no pair" \
  "detent repair MODEL.onnx -o OUT.onnx --target rknn adds the missing pair"; do
  grep -qF -e "$words" stdout || fail "the compiler's log is not explained: '$words'"
done
refuses "a profile beside the log of a compiler" 2 "nothing is timed" explain in/compiler.log --profile in/profile.json
sed 's/ Layer Information / Other /' in/compiler.log >in/other.log
refuses "a log of another kind" 12 "holds no layer of an engine" explain in/other.log

head -c 700 in/layers.json >in/cut.json
refuses "layers that end in the middle" 12 "in/cut.json: ends in the middle, after 700 bytes" explain in/cut.json
refuses "a model as layers" 12 "expected are TensorRT's layers" explain "$model"
refuses "a profile as layers" 12 "give it to --profile" explain in/profile.json
refuses "layers as a profile" 12 "holds no times of layers" explain in/layers.json --profile in/layers.json
refuses "a profile of ONNX Runtime as times" 12 "holds no times of layers" explain in/fused.json --profile in/float_events.json
sed 's/"Dimensions": \[1,/"Dimensions": [1e999,/' in/layers.json >in/endless.json
refuses "a number out of range" 12 "the number 1e999 is too large" explain in/endless.json
sed 's/"averageMs": 0.2/"averageMs": 1e999/' in/profile.json >in/endless_times.json
refuses "a time out of range" 12 "the number 1e999 is too large" explain in/layers.json --profile in/endless_times.json
sed 's/"name": "/"name": "other/g' in/profile.json >in/other.json
refuses "times of another engine" 12 "knows none of the layers" explain in/layers.json --profile in/other.json
refuses "a profile beside that of ONNX Runtime" 2 "does not apply to ONNX Runtime" explain in/events.json --profile in/profile.json
refuses "layers as a model" 10 "in/layers.json" explain in/layers.json --model in/layers.json
refuses "a missing file" 12 "in/none.json" explain in/none.json
refuses "no layers" 2 "LAYERS" explain
finish
