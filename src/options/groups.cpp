#include "options/groups.h"

#include <algorithm>

#include "core/files/allowed_folders.h"
#include "core/memory_limit.h"
#include "core/nearest_names.h"
#include "core/parse.h"
#include "detent/base/error.h"

namespace detent {

namespace {

using P = PlacementOptions;

void take_shard(const std::string& text, DataOptions& data) {
  const size_t slash = text.find('/');
  const auto index = parse_number<size_t>(std::string_view(text).substr(0, slash));
  const auto count = slash == std::string::npos ? std::nullopt : parse_number<size_t>(text.substr(slash + 1));
  if (!index || !count) throw Error(ErrorCode::Usage, "--shard: '" + text + "' is not I/N, such as 2/4");
  if (*index < 1 || *index > *count)
    throw Error(ErrorCode::Usage, "--shard: '" + text + "' is not I/N with 1 <= I <= N");
  data.shard_index = *index;
  data.shard_count = *count;
}

/// "image=1,3,224,224" -> entry of `shapes`.
void take_shape(const std::string& text, std::map<std::string, std::vector<int64_t>>& shapes) {
  const Error malformed(ErrorCode::Usage, "--shape: '" + text + "' is not NAME=1,3,224,224");
  const size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0) throw malformed;
  std::vector<int64_t> extents;
  std::string_view rest = std::string_view(text).substr(equals + 1);
  do {
    if (!extents.empty()) rest.remove_prefix(1);
    extents.push_back(take_number<int64_t>(rest).value_or(0));
    if (extents.back() < 1 || (!rest.empty() && rest.front() != ',')) throw malformed;
  } while (!rest.empty());
  shapes[text.substr(0, equals)] = extents;
}

/// Names `option` in what `set` refuses.
template <class Set>
Parsed limit(const char* option, Set set, bool repeats = false) {
  return {[option, set](const std::string& text) {
            try {
              set(text);
            } catch (const Error& error) {
              throw error.in(option);
            }
          },
          repeats};
}

std::string calibrator_lines() {
  std::string lines;
  for (const CalibratorEntry& entry : calibrator_list())
    lines += "\n  " + std::string(entry.name) + ": " + std::string(entry.summary);
  return lines + "\n  auto: measures them at the outputs of the quantized model and takes the best";
}

}  // namespace

void check_calibrator(const std::string& option, const std::string& text) {
  std::vector<std::string> names{"auto"};
  for (const CalibratorEntry& entry : calibrator_list()) names.emplace_back(entry.name);
  const std::string name = text.substr(0, text.find(':'));
  const bool known = std::ranges::find(names, name) != names.end();
  if (!known && !likely_name(name, names).empty()) refuse_word(option, name, names);
}

OptionList data_options(DataOptions& data, bool required) {
  return under(
      "Data",
      list_of(
          row("--data [INPUT=]SRC", &data,
              "[INPUT=]SRC: a folder of images, .npy or .npz, a .npy or .npz file, a test_data_set folder, a .txt or "
              ".csv list, text:FILE,vocab=bytes|FILE[,length=N] (.txt or .jsonl), or "
              "random:normal|uniform[,n=32][,seed=1]; one for each model input. Rows of token ids longer than the "
              "model's input are cut to windows of its length",
              {.file = FileUse::Reads, .required = required}),
          row("--preprocess SPEC", &data.preprocess,
              "How images become tensors: a preset (imagenet, unit, raw, yolox, yolo), key=value pairs, or both, "
              "separated by commas. Keys: resize crop letterbox color div mean std interp layout"),
          row("--shuffle SEED", &data.shuffle, "Shuffle the samples with this seed, before --limit"),
          row("--limit N", &data.limit, "Use the first N samples", {.least = 1}),
          row("--batch-axis INPUT=AXIS|none", &data.batch_axes,
              "Axis of an input that counts samples, from 0 on, or none, where the model does not tell (repeatable)",
              {.python = "batch_axis: Mapping[str, Optional[int]]"}),
          row("--mask INPUT", &data.padding_masks,
              "Input [N,S] that is 0 at padding, which then counts nowhere: not in histograms, means, errors and "
              "scores. Inputs called attention_mask are found without"),
          row("--shard I/N", Parsed{[&data](const std::string& text) { take_shard(text, data); }},
              "Use every N-th sample from the I-th on")));
}

OptionList eval_options(DataOptions& eval, const DataOptions& data, bool required) {
  eval.spread = true;
  return under(
      "Evaluation",
      list_of(row("--eval [INPUT=]SRC", &eval,
                  "[INPUT=]SRC: samples to judge on, in the forms and with the --preprocess of --data",
                  {.file = FileUse::Reads, .required = required}),
              row("--eval-limit N", &eval.limit, "Judge on N samples that lie evenly over --eval", {.least = 1}),
              [&eval, &data] {
                eval.preprocess = data.preprocess;
                eval.batch_axes = data.batch_axes;
                eval.padding_masks = data.padding_masks;
              }));
}

Option next_token_option(bool& next_token) {
  return row("--next-token", &next_token,
             "Language models: holds logits [N,S,V] against the token ids shifted by one. Gives the cross entropy in "
             "nats a token, perplexity and the share of tokens that are told. Ids of one more than the model's length "
             "score each position; of its own length all but the last",
             {.group = "Evaluation"});
}

OptionList evaluation_options(EvaluationOptions& evaluation, const DataOptions& data, bool required) {
  return under(
      "Evaluation",
      list_of(
          eval_options(evaluation.data, data, required),
          row("--labels FILE", &evaluation.labels,
              "Truth of the samples, with files relative to --eval. FILE.csv: columns file,label; gives top-1 and "
              "top-5. FILE.json: boxes in the form of COCO; gives mAP",
              {.file = FileUse::Reads}),
          row("--detections FORM", &evaluation.detections,
              "The outputs hold detections in this form: auto (by their shapes), xyxy-score-class, cxcywh-scores or "
              "boxes+logits. Compares them with those of the float model"),
          row("--masks DIR", &evaluation.masks,
              "Folder of masks with the names of the images: pixel = class (255 of more than two classes: "
              "unlabelled). Gives the mean IoU",
              {.file = FileUse::Reads}),
          next_token_option(evaluation.next_token),
          row("--metric-command CMD", &evaluation.metric_command,
              "Your own metric: called with two folders of one .npy per output, the float model's and a "
              "candidate's; prints one number, larger is better")));
}

OptionList bound_options(AccuracyBound& bound, const DataOptions& data) {
  return under(
      "Evaluation",
      list_of(row("--max-drop X", &bound.max_drop,
                  "Keep layers float until the score drops by X at most, as a fraction: 0.01 is one point; with "
                  "--next-token until the cross entropy rises by X nats a token at most. Needs --eval and --labels, "
                  "--masks, --next-token or --metric-command. Not reachable: writes the best and exits 1",
                  {.least = 0, .most = 1e9}),
              row("--min-sqnr DB", &bound.min_sqnr_db,
                  "Keep layers float until the outputs have this SQNR in dB on --eval (without it: on --data)",
                  {.least = -1000, .most = 1000}),
              evaluation_options(bound.evaluation, data, false), [&bound] {
                const EvaluationOptions& given = bound.evaluation;
                const bool judged = std::ranges::any_of(
                    kMetrics, [&](const Metric& metric) { return !metric.is_error() && gives(given, metric.source); });
                if (!bound.given() && judged)
                  throw Error(ErrorCode::Usage,
                              "--labels, --masks, --next-token and --metric-command are for --max-drop and --min-sqnr",
                              "'detent compare' judges without a bound");
              }));
}

Option calibrator_option(std::string& calibrator) {
  return row("--calibrator NAME[:ARG]", &calibrator, "How ranges are chosen from the histograms:" + calibrator_lines(),
             {.group = "Calibration", .check = check_calibrator});
}

Option override_option(std::filesystem::path& file) {
  return row("--override FILE.json", &file, "Calibrator or range of single values, JSON",
             {.group = "Calibration", .file = FileUse::Reads});
}

Option outliers_option(OutlierPolicy& policy) {
  using O = OutlierPolicy;
  return row("--outliers",
             choice(policy, {{name_of(O::Clip), O::Clip}, {name_of(O::Drop), O::Drop}, {name_of(O::Keep), O::Keep}}),
             "Samples that alone set the range of many values: keep them, drop them, or clip: no range goes beyond "
             "what the other samples reach",
             {.group = "Calibration"});
}

Option target_option(std::string& target) {
  return row("--target NAME[:VERSION]", &target,
             "tensorrt or onnxruntime, with a version where facts differ: tensorrt:8.6", {.group = "Placement"});
}

Option type_option(CodeType& type) {
  return row(
      "--type",
      choice(type, {{option_name_of(CodeType::Fp8), CodeType::Fp8}, {option_name_of(CodeType::Int8), CodeType::Int8}}),
      "What is quantized becomes INT8, or FP8 (float8e4m3fn, for TensorRT on Ada, Hopper and later; Conv, Gemm, MatMul "
      "and residual Adds)",
      {.group = "Format"});
}

OptionList node_options(PlacementOptions& placement) {
  return under(
      "Placement",
      list_of(row("--include REGEX", &placement.include,
                  "Quantize nodes whose name matches, even where a rule keeps them float (repeatable)"),
              row("--exclude REGEX", &placement.exclude, "Keep nodes whose name matches float (repeatable)"),
              row("--include-op OP", &placement.include_op, "Quantize nodes of this operator (repeatable)"),
              row("--exclude-op OP", &placement.exclude_op, "Keep nodes of this operator float (repeatable)")));
}

OptionList policy_options(PlacementOptions& placement) {
  return under(
      "Placement",
      list_of(
          row("--concat",
              choice(placement.concat, {{"independent", P::Concat::Independent},
                                        {"inputs", P::Concat::Inputs},
                                        {"shared", P::Concat::Shared}}),
              "Scales around a Concat"),
          row("--deconv-activation",
              choice(placement.deconv_activation, {{"auto", P::DeconvActivation::ByActivation},
                                                   {"fuse", P::DeconvActivation::Fuse},
                                                   {"split", P::DeconvActivation::Split}}),
              "Pair behind the activation of a ConvTranspose only, or on both sides"),
          row("--act-add", choice(placement.act_add, {{"both", P::ActAdd::Both}, {"main", P::ActAdd::Main}}),
              "Inputs of an Add behind an activation that get a pair"),
          row("--se-mul", choice(placement.se_mul, {{"both", P::SeMul::Both}, {"float", P::SeMul::Float}}),
              "Pairs on the product of a squeeze-and-excite block"),
          row("--maxpool", choice(placement.maxpool, {{"after", P::MaxPool::After}, {"both", P::MaxPool::Both}}),
              "Pair behind a MaxPool only, or on both sides"),
          row("--small-layers",
              choice(placement.small_layers, {{"auto", P::SmallLayers::Auto}, {"quantize", P::SmallLayers::Quantize}}),
              "Layers too small to gain from INT8"),
          row("--attention",
              choice(placement.attention, {{"float", P::Attention::Float}, {"int8", P::Attention::Int8}}),
              "MatMuls of two activations; int8 puts pairs of --type around them"),
          row("--residual",
              choice(placement.residual,
                     {{"auto", P::Residual::Auto}, {"float", P::Residual::Float}, {"quantize", P::Residual::Quantize}}),
              "Residual stream of a transformer: auto keeps float what measured ranges show to be ruined by INT8; "
              "quantize puts pairs on its Adds; float keeps its Adds float"),
          row("--scales", choice(placement.scales, {{"fp16", P::Scales::Fp16}, {"fp32", P::Scales::Fp32}}),
              "Scales of FP16 values: FP16, for which the opset is raised to 19, or FP32 between casts"),
          row("--quantize-outputs", &placement.quantize_outputs, "Put pairs on graph outputs too")));
}

OptionList placement_options(PlacementOptions& placement) {
  return list_of(type_option(placement.type), node_options(placement), policy_options(placement));
}

Option shape_option(std::map<std::string, std::vector<int64_t>>& shapes) {
  return row("--shape NAME=1,3,224,224", Parsed{[&shapes](const std::string& text) { take_shape(text, shapes); }, true},
             "Sizes of an input that the model leaves open, for MACs and bytes",
             {.python = "shapes: Mapping[str, Sequence[int]]"});
}

OptionList format_options(FormatOptions& format, CpuOption cpu) {
  using WeightBounds = FormatOptions::WeightRange;
  OptionList list = list_of(
      row("--weights", choice(format.int8_weights, {{"fp32", false}, {"int8", true}}),
          "INT8 initializer + DequantizeLinear, or FP32 initializer + full pair (default: the target's)"),
      row("--weight-range", choice(format.weight_range, {{"max", WeightBounds::Max}, {"mse", WeightBounds::Mse}}),
          "Range of each channel's weights"),
      row("--weight-bits", choice(format.weight_bits, {{"7", 7}, {"8", 8}}),
          "8, or 7 against saturation on CPUs without VNNI"),
      row("--per-tensor", &format.per_tensor, "One scale per weight tensor instead of one per output channel"),
      activation_option(format.uint8_activations),
      row("--range", choice(format.full_range, {{"full", true}, {"narrow", false}}),
          "int8 scale = amax/127, or amax/128"));
  if (cpu == CpuOption::Offered)
    append(list, row("--cpu", choice(format.cpu, {{"any", Cpu::Any}, {"vnni", Cpu::Vnni}}),
                     "With --target onnxruntime: the x86 CPUs that must compute the file right. any scales weights so "
                     "that CPUs without VNNI never saturate; vnni uses all codes (default: any)"));
  append(list, list_of(row("--bias", choice(format.int32_bias, {{"float", false}, {"int32", true}}),
                           "Type of biases (default: the target's)"),
                       float_type_option(format.float_type,
                                         "Type of what is not quantized, where the samples' values allow it (default: "
                                         "the target's)"),
                       io_type_option(format.io)));
  return under("Format", std::move(list));
}

Option activation_option(std::optional<bool>& uint8_activations) {
  return row("--activation", choice(uint8_activations, {{"int8", false}, {"uint8", true}}),
             "Type of quantized activations (default: the target's)", {.group = "Format"});
}

Option float_type_option(std::optional<FloatType>& type, std::string help) {
  using F = FloatType;
  return row("--float-type",
             choice(type, {{name_of(F::Bf16), F::Bf16}, {name_of(F::Fp16), F::Fp16}, {name_of(F::Fp32), F::Fp32}}),
             std::move(help), {.group = "Format"});
}

Option io_type_option(IoType& io) {
  return row("--io-type", choice(io, {{"keep", IoType::Keep}, {"same", IoType::Same}}),
             "Types of graph inputs and outputs: as they were, or those of the nodes beside them", {.group = "Format"});
}

Option external_data_option(ExternalData& where) {
  return row(
      "--external-data",
      choice(where, {{"always", ExternalData::Always}, {"auto", ExternalData::Auto}, {"never", ExternalData::Never}}),
      "Weights in a file beside the model: auto where one file would exceed protobuf's 2 GiB; always, but for tensors "
      "below 1 KiB; never, and an error where that cannot be",
      {.group = "Format"});
}

Option block_option(int64_t& block) {
  return row("--block N|channel",
             choice(block, {{"16", 16}, {"32", 32}, {"64", 64}, {"128", 128}, {"256", 256}, {"channel", 0}}),
             "Weights under one scale: 16, 32, 64, 128, 256 or channel", {.group = "Format"});
}

Option equalize_option(EqualizeOptions& options) {
  return row("--equalize off|auto|LIST", &options.equalize,
             "Even out channels exactly before calibrating: auto measures which families help; gate, relu, linear, "
             "norm, act, comma separated, each with an exponent where wished (relu:0.75). Default: off, or what "
             "--table was measured with",
             {.group = "Equalization"});
}

Option bias_correction_option(EqualizeOptions& options) {
  return row(
      "--bias-correction", choice(options.bias_correction, {{"off", false}, {"on", true}}),
      "Put the mean error that quantization leaves in each layer into its bias, where that improves the outputs on "
      "samples that it was not measured on (needs 16 samples). Default: off; on with quantize --accuracy best",
      {.group = "Equalization"});
}

OptionList run_options(RunSettings& run) {
  return under("Running", list_of(row("--threads N", &run.threads,
                                      "Worker threads (default: all cores); results do not depend on it",
                                      {.least = 1, .most = 4096}),
                                  row("--skip-bad-data", &run.skip_bad_data,
                                      "Count and skip samples that cannot be read instead of stopping")));
}

Option products_option(RunSettings& run) {
  return row("--cpu", choice(run.products, {{"avx2", CpuProducts::Avx2}, {"exact", CpuProducts::Exact}}),
             "Arithmetic of UINT8 x INT8 products: exact, or as ONNX Runtime on x86 CPUs without VNNI, which saturate "
             "sums of two products at 16 bits",
             {.group = "Running"});
}

OptionList limit_options(bool model) {
  OptionList list =
      list_of(row("--max-memory BYTES",
                  limit("--max-memory", [](const std::string& text) { set_memory_limit(parse_memory(text)); }),
                  "Refuse what would take more: a tensor, table, image or array, and all tensors together. K, M and G "
                  "are 10^3, 10^6 and 10^9 bytes (default: what the machine has free)"));
  if (model)
    append(list, row("--allow-external DIR", limit("--allow-external", allow_folder, true),
                     "Let a model's external data lie in DIR too; data outside the model's folder is refused without "
                     "it (repeatable)"));
  return under("Limits", std::move(list));
}

}  // namespace detent
