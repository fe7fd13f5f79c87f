#!/bin/sh
# Help, wrong usage and configuration files.
. "$(dirname "$0")/expect.sh"

accepts "--help" --help
for command in quantize calibrate merge plan lint compare run verify inspect cache; do
  accepts "--help" --help
  grep -qE "^ +$command " stdout || fail "--help does not list $command"
  accepts "$command --help" $command --help
  tail -n 3 stdout | grep -q "detent $command" || fail "$command --help does not end with an example"
done
accepts "--version" --version
grep -q '[0-9]\.[0-9]' stdout || fail "--version prints no number"

refuses "an unknown command" 2 nosuch nosuch
refuses "an unknown option" 2 --nosuch $quantize_sample -o out/model.onnx --nosuch
refuses "no model" 2 "" quantize
refuses "an unknown calibrator" 2 nosuch $quantize_sample -o out/model.onnx --calibrator nosuch
refuses "an unknown target" 2 nosuch $quantize_sample -o out/model.onnx --target nosuch

# Options that apply to nothing, and their twins.
accepts "a table" calibrate "$model" --data "$sample/calib" --preprocess "$preprocess" --limit 2 -o in/t.dct
by_table="quantize $model --table in/t.dct -o out/model.onnx"
for option in "--limit 3" "--shuffle 5" "--shard 1/2" "--preprocess yolox" "--batch-axis image=0" "--mask image" --skip-bad-data; do
  refuses "$option without --data" 2 "${option%% *} applies to --data" $by_table $option
  refuses "plan $option without --data" 2 "${option%% *} applies to --data" plan $model $option
done
refuses "--accuracy best without --data" 2 "--accuracy best" $by_table --accuracy best
refuses "--eval-limit without --eval" 2 "applies to --eval" $by_table --eval-limit 3
for number in nan inf; do
  refuses "--min-sqnr $number" 2 "$number" $quantize_sample -o out/model.onnx --min-sqnr $number
  refuses "--max-drop $number" 2 "$number" $quantize_sample -o out/model.onnx --max-drop $number
done
leaves_nothing "options that apply to nothing"
accepts "--accuracy fast without --data" $by_table --accuracy fast
rm -f out/model.onnx

printf '[quantize]\ncalibrator = "max"\nnosuch = 1\n' >in/unknown.toml
refuses "an unknown key in --config" 2 nosuch $quantize_sample -o out/model.onnx --config in/unknown.toml
refuses "a --config file that is not there" 2 in/gone.toml $quantize_sample -o out/model.onnx --config in/gone.toml

accepts "--print-config" $quantize_sample -o out/model.onnx --calibrator mse --print-config
leaves_nothing "--print-config"
cp stdout in/printed.toml
grep -q mse in/printed.toml || fail "--print-config does not print what the command line says"
accepts "--print-config of what it printed" quantize --config in/printed.toml --print-config
cmp stdout in/printed.toml || fail "--print-config does not come out as it went in"
accepts "a run from the printed configuration" quantize --config in/printed.toml
mv out/model.onnx in/from_config.onnx
accepts "the same run from the command line" $quantize_sample -o out/model.onnx --calibrator mse
cmp in/from_config.onnx out/model.onnx || fail "configuration file and command line write different models"
finish
