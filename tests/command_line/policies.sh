#!/bin/sh
# Every placement policy in every setting: the default can be named, another setting changes the plan of the sample if
# it has what the policy is about, and an unknown setting is refused with the known ones.
. "$(dirname "$0")/expect.sh"

accepts "plan" plan "$model"
cp stdout default

# policy OPTION KEY DEFAULT ALTERNATIVE CHANGES: CHANGES is yes if the sample must get another plan. The key is no
# option.
policy() {
  accepts "$1 $2=$3" plan "$model" "$1" "$2=$3"
  cmp -s stdout default || fail "$1 $2=$3 is not the default"
  accepts "$1 $2=$4" plan "$model" "$1" "$2=$4"
  if cmp -s stdout default; then changed=no; else changed=yes; fi
  [ "$changed" = "$5" ] || fail "$1 $2=$4 changes the sample's plan: $changed, expected $5"
  refuses "$1 $2=nosuch" 2 nosuch plan "$model" "$1" "$2=nosuch"
  refuses "--$2" 2 "there is no option '--$2'" plan "$model" "--$2" "$4"
}
policy --policy concat shared inputs yes
policy --policy concat shared independent yes
policy --policy deconv-activation auto fuse yes
policy --policy deconv-activation auto split no # every activation behind a ConvTranspose here is a LeakyRelu
policy --policy act-add both main no            # no Add
policy --policy se-mul both float no            # no squeeze-and-excite
policy --policy maxpool after both yes
policy --policy small-layers auto quantize no   # its head of 4 channels is 16 wide on the other side
policy --policy attention auto int8 no          # no product of activations
policy --policy attention auto float no
policy --policy residual auto float no          # no norm, so no residual stream
policy --policy residual auto quantize no
policy --format scales fp16 fp32 no             # no FP16 value

# A list of keys, in one option or several.
accepts "two keys" plan "$model" --policy concat=inputs,maxpool=both
cp stdout both
accepts "an option for each" plan "$model" --policy concat=inputs --policy maxpool=both
cmp -s stdout both || fail "two --policy are something else than one with two keys"
refuses "a key twice" 2 "'concat' is given twice" plan "$model" --policy concat=inputs,concat=shared
refuses "a key without a value" 2 "write concat=independent|inputs|shared" plan "$model" --policy concat
refuses "an unknown key" 2 "did you mean 'concat'?" plan "$model" --policy concot=shared
refuses "a key of the other option" 2 "there is no key 'weights'" $quantize_sample -o out/model.onnx --policy weights=fp32
refuses "a key with an empty value" 2 "'concat' has no value" plan "$model" --policy concat=
refuses "a flag that is neither on nor off" 2 "is not one of off, on" plan "$model" --policy quantize-outputs=true

# The keys of --feed are options, too.
data="--data $sample/calib --preprocess imagenet,resize=128x128,crop=128 --limit 8"
accepts "--shard" calibrate "$model" $data --shard 2/2 -o in/option.dct
accepts "--feed shard=" calibrate "$model" $data --feed shard=2/2 -o in/key.dct
cmp -s in/option.dct in/key.dct || fail "--feed shard=2/2 is something else than --shard 2/2"
refuses "a shard in both spellings" 2 "--shard and --feed shard= are both given" plan "$model" $data --shard 1/2 --feed shard=1/2
refuses "a shard that is none" 2 "'3/2' is not I/N" plan "$model" $data --feed shard=3/2
refuses "steps that are none" 2 "--feed steps: '0' is not a whole number from 1 on" plan "$model" $data --feed steps=0
echo '{"feeds": {"segments": "image"}}' >in/state.json
refuses "a state without steps" 2 "needs --steps N" plan "$model" $data --feed state=in/state.json
echo '{}' >in/state.onnx
refuses "a state that is the output" 15 "which --state reads" quantize "$model" $data --feed state=in/state.onnx,steps=2 -o in/state.onnx --overwrite

# The file names its keys.
mkdir in/new
accepts "a file with every key" $quantize_sample --calibrator max --accept-broken --quiet -o in/new/m.onnx \
  --policy concat=inputs,small-layers=quantize,exclude-op=ConvTranspose,outliers=keep,bias-correction=off \
  --format weights=fp32,weight-range=mse,weight-bits=7,per-tensor=on,range=full,bias=float,scales=fp32,io-type=same \
  --format external-data=always
[ "$(find in/new -name 'm.onnx*' | wc -l)" -eq 2 ] || fail "no external data"
"$DETENT" inspect in/new/m.onnx | grep -q 'concat=inputs.*weights=fp32' || fail "the file does not name its options"

refuses "FP8 attention in an INT8 file" 13 "--policy attention=fp8 with --type int8" plan "$model" --policy attention=fp8
refuses "INT8 attention in an FP8 file" 13 "--policy attention=int8 with --type fp8" plan "$model" --type fp8 --policy attention=int8
accepts "FP8 attention" plan "$model" --type fp8 --policy attention=fp8

accepts "--exclude" plan "$model" --exclude '^/head/'
grep -q "float /head/Conv (Conv)  R12 user" stdout || fail "--exclude leaves the head INT8"
grep -q "17 of 18 weighted layers INT8" stdout || fail "--exclude: not 17 layers"
accepts "exclude-op" plan "$model" --policy exclude-op=ConvTranspose
grep -q "15 of 18 weighted layers INT8" stdout || fail "exclude-op: not 15 layers"
accepts "--include against --exclude" plan "$model" --exclude '^/head/' --include head
grep -q "17 of 18 weighted layers INT8" stdout || fail "--include beats --exclude"
accepts "--policy quantize-outputs=on" plan "$model" --policy quantize-outputs=on
cmp -s stdout default && fail "--policy quantize-outputs=on changes nothing"
refuses "a pattern without a match" 13 nosuch plan "$model" --exclude nosuch
refuses "an operator without a match" 13 Gemm plan "$model" --policy include-op=Gemm
finish
