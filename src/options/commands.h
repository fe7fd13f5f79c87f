#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "detent/detent.h"
#include "options/option.h"

namespace detent {

/// Reports that a command prints or writes besides its output, and the checks whose failure exits 1.
struct ReportOptions {
  std::vector<std::string> json;  ///< files; "-" is standard output, and no text
  std::filesystem::path html;     ///< empty: no page
  bool all = false;               ///< do not shorten lists
  bool overwrite = false;         ///< replace these files; for its output a command has another member
  bool strict = false, accept_broken = false;
  std::optional<double> fail_below;
  size_t top = 20;  ///< layers and values that sensitivity prints

  [[nodiscard]] bool json_on_stdout() const { return std::ranges::find(json, "-") != json.end(); }
};

/// Quantizes for one target, or for several.
/// Errors  those of quantize_model and quantize_targets.
[[nodiscard]] inline std::variant<QuantizeReport, QuantizeTargetsReport> quantize_for_targets(
    const QuantizeOptions& options) {
  if (options.targets.empty()) return quantize_model(options);
  return quantize_targets(options);
}

/// Compares calibrators for one target, or targets.
/// Errors  those of compare_calibrators and compare_targets.
[[nodiscard]] inline std::variant<CompareCalibratorsReport, CompareTargetsReport> compare_candidates(
    const CompareOptions& options) {
  if (options.targets.empty()) return compare_calibrators(options);
  return compare_targets(options);
}

/// Options of `detent inspect`.
struct InspectOptions {
  std::filesystem::path file;
  std::string value;      ///< name of a table's value; empty: the whole table
  DataOptions data = {};  ///< for a float model: how it does on them
  RunSettings run = {};
};
/// Describes a model, a table, or one value of a table.
/// Errors  Usage for a value of a model; those of inspect_model, inspect_table and inspect_table_value.
[[nodiscard]] inline std::variant<ModelReport, TableReport, DistributionReport> inspect_file(
    const InspectOptions& options) {
  if (is_table(options.file)) {
    if (options.data.given())
      throw Error(ErrorCode::Usage, "--data: " + options.file.string() + " is a calibration table, not a model");
    if (options.value.empty()) return inspect_table(options.file);
    return inspect_table_value(options.file, options.value);
  }
  if (options.value.empty()) return inspect_model(options.file, options.data, options.run);
  throw Error(ErrorCode::Usage, "--value: " + options.file.string() + " is not a calibration table");
}

/// Returns the options of each command in the order of its help.
[[nodiscard]] OptionList options_of(QuantizeOptions& options, ReportOptions& report);
[[nodiscard]] OptionList options_of(QuantizeWeightsOptions& options, ReportOptions& report);
[[nodiscard]] OptionList options_of(CalibrateOptions& options, ReportOptions& report);
[[nodiscard]] OptionList options_of(MergeTablesOptions& options, ReportOptions& report);
[[nodiscard]] OptionList options_of(CastModelOptions& options, ReportOptions& report);
[[nodiscard]] OptionList options_of(PlanModelOptions& options, ReportOptions& report);
[[nodiscard]] OptionList options_of(LintOptions& options, ReportOptions& report);
[[nodiscard]] OptionList options_of(ExplainOptions& options, ReportOptions& report);
[[nodiscard]] OptionList options_of(RepairOptions& options, ReportOptions& report);
[[nodiscard]] OptionList options_of(CompareOptions& options, ReportOptions& report);
[[nodiscard]] OptionList options_of(CompareTypesOptions& options, ReportOptions& report);
[[nodiscard]] OptionList options_of(SensitivityOptions& options, ReportOptions& report);
[[nodiscard]] OptionList options_of(RunOptions& options, ReportOptions& report);
[[nodiscard]] OptionList options_of(VerifyOptions& options, ReportOptions& report);
[[nodiscard]] OptionList options_of(InspectOptions& options, ReportOptions& report);
[[nodiscard]] OptionList options_of(CacheExportOptions& options, ReportOptions& report);
[[nodiscard]] OptionList options_of(CacheImportOptions& options, ReportOptions& report);

/// A command as users see it.
struct Command {
  std::string name;     ///< "quantize"; "cache export" is a command of "cache"
  std::string summary;  ///< its line in `detent --help`
  std::string example;  ///< end of its help; works in a fresh checkout
};

/// Models and data of the examples, relative to the source tree.
inline const std::string kSample = "datasets/samples/shapes_unet/", kSampleModel = kSample + "model_opset13.onnx";
inline const std::string kSampleData =
    kSampleModel + " --data " + kSample + "calib \\\n      --preprocess imagenet,resize=128x128,crop=128";
inline const std::string kSampleEval = kSampleData + " --eval " + kSample + "eval/images";

/// Calls `use(command, type, function)` for each command in the order of help; `type` is the std::type_identity of its
/// options.
template <class Use>
void for_each_command(const Use& use) {
  use(Command{"quantize", "Calibrate a float model and write it with Q/DQ pairs",
              "detent quantize " + kSampleData + " -o shapes_unet.int8.onnx --html shapes_unet.html"},
      std::type_identity<QuantizeOptions>{}, quantize_for_targets);
  use(Command{"quantize-weights", "Write a model whose weights of MatMul and Gemm are INT4 or INT8",
              "detent quantize-weights " + kSampleModel + " --type int8 -o shapes_unet.weights.onnx"},
      std::type_identity<QuantizeWeightsOptions>{}, quantize_weights);
  use(Command{"calibrate", "Measure a model's values over data and save them as a calibration table",
              "detent calibrate " + kSampleData + " -o shapes_unet.dct"},
      std::type_identity<CalibrateOptions>{}, calibrate_model);
  use(Command{"merge", "Add the calibration tables of shards",
              "detent merge part-1.dct part-2.dct -o whole.dct    # from 'detent calibrate ... --shard 1/2' and "
              "'--shard 2/2'"},
      std::type_identity<MergeTablesOptions>{}, merge_tables);
  use(Command{"cast", "Convert a model to FP16 or BF16 where its values allow it, without quantizing; its pairs stay",
              "detent cast " + kSampleData + " --float-type fp16 -o shapes_unet.fp16.onnx"},
      std::type_identity<CastModelOptions>{}, cast_model);
  use(Command{"plan", "Show where pairs would go and why; with --data also which nodes must stay FP32 in an FP16 model",
              "detent plan " + kSampleModel + " --target tensorrt --shape image=1,3,128,128"},
      std::type_identity<PlanModelOptions>{}, plan_model);
  use(Command{"lint", "Check any Q/DQ model: what runs in INT8, what does not, and why",
              "detent lint shapes_unet.int8.onnx --target tensorrt --shape image=1,3,128,128    # what quantize wrote"},
      std::type_identity<LintOptions>{}, lint_model);
  use(
      Command{
          "explain", "Show what an engine of TensorRT or ONNX Runtime made of a network: types, reformats, and why",
          "detent explain layers.json --profile profile.json    # of trtexec --exportLayerInfo and --exportProfile"},
      std::type_identity<ExplainOptions>{}, explain_engine);
  use(Command{"repair", "Write a Q/DQ model of any origin anew, with its pairs where the engine wants them",
              "detent repair trained.qdq.onnx --target tensorrt -o trained.repaired.onnx \\\n      --data calib "
              "--preprocess imagenet    # your model and images"},
      std::type_identity<RepairOptions>{}, repair_model);
  use(Command{"compare", "Quantize with several calibrators or for several targets, judge all, name the best",
              "detent compare " + kSampleEval + " \\\n      --masks " + kSample + "eval/masks"},
      std::type_identity<CompareOptions>{}, compare_candidates);
  use(Command{"compare-types", "Quantize to several types, judge all of them, name the smallest within a limit",
              "detent compare-types " + kSampleEval + " --types int8,fp8 --masks " + kSample + "eval/masks"},
      std::type_identity<CompareTypesOptions>{}, compare_types);
  use(Command{"sensitivity", "Measure the quality that each layer costs", "detent sensitivity " + kSampleEval},
      std::type_identity<SensitivityOptions>{}, measure_sensitivity);
  use(Command{"run", "Run a float or Q/DQ model over data and write its outputs as .npy",
              "detent run " + kSampleModel + " --data " + kSample +
                  "eval/images \\\n      --preprocess imagenet,resize=128x128,crop=128 -o outputs"},
      std::type_identity<RunOptions>{}, run_model);
  use(Command{"verify", "Run ONNX backend-test folders and compare with their stored outputs",
              "detent verify /usr/share/libonnx-testdata/data/node/test_relu    # any folder with model.onnx and "
              "test_data_set_0"},
      std::type_identity<VerifyOptions>{}, verify_models);
  use(Command{"inspect", "Show the content of a model or a calibration table", "detent inspect " + kSampleModel},
      std::type_identity<InspectOptions>{}, inspect_file);
  use(Command{"cache export", "Write a table's scales as a TensorRT calibration cache",
              "detent cache export shapes_unet.dct -o shapes_unet.cache"},
      std::type_identity<CacheExportOptions>{}, export_cache);
  use(Command{"cache import", "Make a calibration table from a TensorRT calibration cache",
              "detent cache import shapes_unet.cache --model " + kSampleModel + " \\\n      -o imported.dct"},
      std::type_identity<CacheImportOptions>{}, import_cache);
}

}  // namespace detent
