#!/bin/sh
# A trained model of characters: the cross entropy that ONNX Runtime gives, from ids and from text.
. "$(dirname "$0")/expect.sh"
gpt=${DETENT_SHARED-}/models/chars_gpt
if [ ! -d "$gpt" ]; then
  echo "SKIPPED tokens_shared: no model of characters at '$gpt'"
  exit 77
fi
accepts "compare" compare "$gpt/model_opset17.onnx" --quiet --data "$gpt/calib_ids.npy" --eval "$gpt/eval_ids.npy" --limit 16 \
  --next-token --calibrators max,mse --json out/c.json
nats=$(sed -n 's/^ *"nats": \([0-9.]*\),$/\1/p' out/c.json | head -n 1)
# models.md: 1.4204 nats a character, 66.22 % right.
awk "BEGIN { d = $nats - 1.4204; exit !(d < 1e-4 && d > -1e-4) }" || fail "FP32 has $nats nats a character"
grep -q '^  FP32 .* 66.22 %' stdout || fail "FP32 does not tell 66.22 % of the characters"
# INT8 loses 0.01 to 0.02 nats; four times as much would be an error.
[ "$(awk '/^[* ] (max|mse)/ { for (i = 1; i <= NF; ++i) if ($i ~ /^1[.]4/) { print; next } }' stdout | wc -l)" -eq 2 ] ||
  fail "a calibrator does not stay below 1.5 nats"
rm out/*
printf 'In the beginning God created the heaven and the earth.\n%.0s' 1 2 3 4 5 6 >in/t.txt
accepts "text" calibrate "$gpt/model_opset17.onnx" --quiet --data "text:in/t.txt,vocab=$gpt/vocab.txt" -o out/t.dct
accepts "its samples" inspect out/t.dct
grep -q '^  samples  *1, ' stdout || fail "330 characters are not one window of 256"
finish
