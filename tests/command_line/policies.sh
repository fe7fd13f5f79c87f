#!/bin/sh
# Every placement policy in every setting: the default can be named, another setting changes the plan of the sample if
# it has what the policy is about, and an unknown setting is refused with the known ones.
. "$(dirname "$0")/expect.sh"

accepts "plan" plan "$model"
cp stdout default

# policy OPTION DEFAULT ALTERNATIVE CHANGES: CHANGES is yes if the sample must get another plan.
policy() {
  accepts "$1 $2" plan "$model" "$1" "$2"
  cmp -s stdout default || fail "$1 $2 is not the default"
  accepts "$1 $3" plan "$model" "$1" "$3"
  if cmp -s stdout default; then changed=no; else changed=yes; fi
  [ "$changed" = "$4" ] || fail "$1 $3 changes the sample's plan: $changed, expected $4"
}
policy --concat shared inputs yes
policy --concat shared independent yes
policy --deconv-activation auto fuse yes
policy --deconv-activation auto split no # every activation behind a ConvTranspose here is a LeakyRelu
policy --act-add both main no            # no Add
policy --se-mul both float no            # no squeeze-and-excite
policy --maxpool after both yes
policy --small-layers auto quantize no   # its head of 4 channels is 16 wide on the other side
policy --attention auto int8 no          # no product of activations
policy --attention auto float no
policy --residual auto float no          # no norm, so no residual stream
policy --residual auto quantize no
policy --scales fp16 fp32 no             # no FP16 value

for option in --concat --deconv-activation --act-add --se-mul --maxpool --small-layers --attention --residual --scales; do
  refuses "$option nosuch" 2 nosuch plan "$model" $option nosuch
done

refuses "FP8 attention in an INT8 file" 13 "--attention fp8 with --type int8" plan "$model" --attention fp8
refuses "INT8 attention in an FP8 file" 13 "--attention int8 with --type fp8" plan "$model" --type fp8 --attention int8
accepts "FP8 attention" plan "$model" --type fp8 --attention fp8

accepts "--exclude" plan "$model" --exclude '^/head/'
grep -q "float /head/Conv (Conv)  R12 user" stdout || fail "--exclude leaves the head INT8"
grep -q "17 of 18 weighted layers INT8" stdout || fail "--exclude: not 17 layers"
accepts "--exclude-op" plan "$model" --exclude-op ConvTranspose
grep -q "15 of 18 weighted layers INT8" stdout || fail "--exclude-op: not 15 layers"
accepts "--include against --exclude" plan "$model" --exclude '^/head/' --include head
grep -q "17 of 18 weighted layers INT8" stdout || fail "--include beats --exclude"
accepts "--quantize-outputs" plan "$model" --quantize-outputs
cmp -s stdout default && fail "--quantize-outputs changes nothing"
refuses "a pattern without a match" 13 nosuch plan "$model" --exclude nosuch
refuses "an operator without a match" 13 Gemm plan "$model" --include-op Gemm
finish
