#include "options/groups.h"

#include <algorithm>

#include "core/files/allowed_folders.h"
#include "core/memory_limit.h"
#include "core/nearest_names.h"
#include "core/parse.h"
#include "detent/error.h"

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
  return list_of(
      Option{.name = "--data",
             .into = &data,
             .type = "[INPUT=]SRC",
             .group = "Data",
             .help = "[INPUT=]SRC: a folder of images, .npy or .npz, a .npy or .npz file, a test_data_set folder, a "
                     ".txt or .csv list, text:FILE,vocab=bytes|FILE[,length=N] (.txt or .jsonl), or "
                     "random:normal|uniform[,n=32][,seed=1]; one for each model input. Rows of token ids longer than "
                     "the model's input are cut to windows of its length",
             .file = FileUse::Reads,
             .required = required},
      Option{.name = "--preprocess",
             .into = &data.preprocess,
             .type = "SPEC",
             .group = "Data",
             .help = "How images become tensors: a preset (imagenet, unit, raw, yolox, yolo), key=value pairs, or "
                     "both, separated by commas. Keys: resize crop letterbox color div mean std interp layout"},
      Option{.name = "--shuffle",
             .into = &data.shuffle,
             .type = "SEED",
             .group = "Data",
             .help = "Shuffle the samples with this seed, before --limit"},
      Option{.name = "--limit",
             .into = &data.limit,
             .type = "N",
             .group = "Data",
             .help = "Use the first N samples",
             .least = 1},
      Option{.name = "--batch-axis",
             .into = &data.batch_axes,
             .type = "INPUT=AXIS|none",
             .group = "Data",
             .help = "Axis of an input that counts samples, from 0 on, or none, where the model does not tell "
                     "(repeatable)",
             .python = "batch_axis: Mapping[str, Optional[int]]"},
      Option{.name = "--mask",
             .into = &data.padding_masks,
             .type = "INPUT",
             .group = "Data",
             .help = "Input [N,S] that is 0 at padding, which then counts nowhere: not in histograms, means, errors "
                     "and scores. Inputs called attention_mask are found without"},
      Option{.name = "--shard",
             .into = Parsed{[&data](const std::string& text) { take_shard(text, data); }},
             .type = "I/N",
             .group = "Data",
             .help = "Use every N-th sample from the I-th on"});
}

OptionList eval_options(DataOptions& eval, const DataOptions& data, bool required) {
  eval.spread = true;
  return list_of(Option{.name = "--eval",
                        .into = &eval,
                        .type = "[INPUT=]SRC",
                        .group = "Evaluation",
                        .help = "[INPUT=]SRC: samples to judge on, in the forms and with the --preprocess of --data",
                        .file = FileUse::Reads,
                        .required = required},
                 Option{.name = "--eval-limit",
                        .into = &eval.limit,
                        .type = "N",
                        .group = "Evaluation",
                        .help = "Judge on N samples that lie evenly over --eval",
                        .least = 1},
                 [&eval, &data] {
                   eval.preprocess = data.preprocess;
                   eval.batch_axes = data.batch_axes;
                   eval.padding_masks = data.padding_masks;
                 });
}

Option next_token_option(bool& next_token) {
  return {.name = "--next-token",
          .into = &next_token,
          .group = "Evaluation",
          .help =
              "Language models: holds logits [N,S,V] against the token ids shifted by one. Gives the cross entropy "
              "in nats a token, perplexity and the share of tokens that are told. Ids of one more than the model's "
              "length score each position; of its own length all but the last"};
}

OptionList evaluation_options(EvaluationOptions& evaluation, const DataOptions& data, bool required) {
  return list_of(
      eval_options(evaluation.data, data, required),
      Option{.name = "--labels",
             .into = &evaluation.labels,
             .type = "FILE.csv",
             .group = "Evaluation",
             .help = "Classes of the samples: columns file,label; files relative to --eval. Gives top-1 and top-5",
             .file = FileUse::Reads},
      Option{.name = "--masks",
             .into = &evaluation.masks,
             .type = "DIR",
             .group = "Evaluation",
             .help = "Folder of masks with the names of the images: pixel = class (255 of more than two classes: "
                     "unlabelled). Gives the mean IoU",
             .file = FileUse::Reads},
      next_token_option(evaluation.next_token),
      Option{.name = "--metric-command",
             .into = &evaluation.metric_command,
             .type = "CMD",
             .group = "Evaluation",
             .help = "Your own metric: called with two folders of one .npy per output, the float model's and a "
                     "candidate's; prints one number, larger is better"});
}

OptionList bound_options(AccuracyBound& bound, const DataOptions& data) {
  return list_of(
      Option{.name = "--max-drop",
             .into = &bound.max_drop,
             .type = "X",
             .group = "Evaluation",
             .help = "Keep layers float until the score drops by X at most, as a fraction: 0.01 is one point; with "
                     "--next-token until the cross entropy rises by X nats a token at most. Needs --eval and --labels, "
                     "--masks, --next-token or --metric-command. Not reachable: writes the best and exits 1",
             .least = 0,
             .most = 1e9},
      Option{.name = "--min-sqnr",
             .into = &bound.min_sqnr_db,
             .type = "DB",
             .group = "Evaluation",
             .help = "Keep layers float until the outputs have this SQNR in dB on --eval (without it: on --data)",
             .least = -1000,
             .most = 1000},
      evaluation_options(bound.evaluation, data, false), [&bound] {
        const EvaluationOptions& given = bound.evaluation;
        const bool judged =
            !given.labels.empty() || !given.masks.empty() || !given.metric_command.empty() || given.next_token;
        if (!bound.given() && judged)
          throw Error(ErrorCode::Usage,
                      "--labels, --masks, --next-token and --metric-command are for --max-drop and --min-sqnr",
                      "'detent compare' judges without a bound");
      });
}

Option calibrator_option(std::string& calibrator) {
  return {.name = "--calibrator",
          .into = &calibrator,
          .type = "NAME[:ARG]",
          .group = "Calibration",
          .help = "How ranges are chosen from the histograms:" + calibrator_lines(),
          .check = check_calibrator};
}

Option override_option(std::filesystem::path& file) {
  return {.name = "--override",
          .into = &file,
          .type = "FILE.json",
          .group = "Calibration",
          .help = "Calibrator or range of single values, JSON",
          .file = FileUse::Reads};
}

Option outliers_option(OutlierPolicy& policy) {
  using O = OutlierPolicy;
  return {
      .name = "--outliers",
      .into = choice(policy, {{name_of(O::Clip), O::Clip}, {name_of(O::Drop), O::Drop}, {name_of(O::Keep), O::Keep}}),
      .group = "Calibration",
      .help =
          "Samples that alone set the range of many values: keep them, drop them, or clip: no range goes beyond "
          "what the other samples reach"};
}

Option target_option(std::string& target) {
  return {.name = "--target",
          .into = &target,
          .type = "NAME[:VERSION]",
          .group = "Placement",
          .help = "tensorrt or onnxruntime, with a version where facts differ: tensorrt:8.6"};
}

Option type_option(CodeType& type) {
  return {.name = "--type",
          .into = choice(
              type, {{option_name_of(CodeType::Fp8), CodeType::Fp8}, {option_name_of(CodeType::Int8), CodeType::Int8}}),
          .group = "Format",
          .help =
              "What is quantized becomes INT8, or FP8 (float8e4m3fn, for TensorRT on Ada, Hopper and later; Conv, "
              "Gemm, MatMul and residual Adds)"};
}

OptionList node_options(PlacementOptions& placement) {
  const auto nodes = [](const char* name, std::vector<std::string>& patterns, const char* type, std::string help) {
    return Option{
        .name = name, .into = &patterns, .type = type, .group = "Placement", .help = std::move(help) + " (repeatable)"};
  };
  return list_of(nodes("--include", placement.include, "REGEX",
                       "Quantize nodes whose name matches, even where a rule keeps them float"),
                 nodes("--exclude", placement.exclude, "REGEX", "Keep nodes whose name matches float"),
                 nodes("--include-op", placement.include_op, "OP", "Quantize nodes of this operator"),
                 nodes("--exclude-op", placement.exclude_op, "OP", "Keep nodes of this operator float"));
}

OptionList policy_options(PlacementOptions& placement) {
  const auto policy = [](const char* name, Member into, std::string help) {
    return Option{.name = name, .into = std::move(into), .group = "Placement", .help = std::move(help)};
  };
  return list_of(
      policy("--concat",
             choice(placement.concat, {{"independent", P::Concat::Independent},
                                       {"inputs", P::Concat::Inputs},
                                       {"shared", P::Concat::Shared}}),
             "Scales around a Concat"),
      policy("--deconv-activation",
             choice(placement.deconv_activation, {{"auto", P::DeconvActivation::ByActivation},
                                                  {"fuse", P::DeconvActivation::Fuse},
                                                  {"split", P::DeconvActivation::Split}}),
             "Pair behind the activation of a ConvTranspose only, or on both sides"),
      policy("--act-add", choice(placement.act_add, {{"both", P::ActAdd::Both}, {"main", P::ActAdd::Main}}),
             "Inputs of an Add behind an activation that get a pair"),
      policy("--se-mul", choice(placement.se_mul, {{"both", P::SeMul::Both}, {"float", P::SeMul::Float}}),
             "Pairs on the product of a squeeze-and-excite block"),
      policy("--maxpool", choice(placement.maxpool, {{"after", P::MaxPool::After}, {"both", P::MaxPool::Both}}),
             "Pair behind a MaxPool only, or on both sides"),
      policy("--small-layers",
             choice(placement.small_layers, {{"auto", P::SmallLayers::Auto}, {"quantize", P::SmallLayers::Quantize}}),
             "Layers too small to gain from INT8"),
      policy("--attention", choice(placement.attention, {{"float", P::Attention::Float}, {"int8", P::Attention::Int8}}),
             "MatMuls of two activations; int8 puts pairs of --type around them"),
      policy("--residual",
             choice(placement.residual,
                    {{"auto", P::Residual::Auto}, {"float", P::Residual::Float}, {"quantize", P::Residual::Quantize}}),
             "Residual stream of a transformer: auto keeps float what measured ranges show to be ruined by INT8; "
             "quantize puts pairs on its Adds; float keeps its Adds float"),
      policy("--scales", choice(placement.scales, {{"fp16", P::Scales::Fp16}, {"fp32", P::Scales::Fp32}}),
             "Scales of FP16 values: FP16, for which the opset is raised to 19, or FP32 between casts"),
      policy("--quantize-outputs", &placement.quantize_outputs, "Put pairs on graph outputs too"));
}

OptionList placement_options(PlacementOptions& placement) {
  return list_of(type_option(placement.type), node_options(placement), policy_options(placement));
}

Option shape_option(std::map<std::string, std::vector<int64_t>>& shapes) {
  return {.name = "--shape",
          .into = Parsed{[&shapes](const std::string& text) { take_shape(text, shapes); }, true},
          .type = "NAME=1,3,224,224",
          .help = "Sizes of an input that the model leaves open, for MACs and bytes",
          .python = "shapes: Mapping[str, Sequence[int]]"};
}

OptionList format_options(FormatOptions& format, CpuOption cpu) {
  const auto row = [](const char* name, Member into, std::string help) {
    return Option{.name = name, .into = std::move(into), .group = "Format", .help = std::move(help)};
  };
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
  append(list, row("--bias", choice(format.int32_bias, {{"float", false}, {"int32", true}}),
                   "Type of biases (default: the target's)"));
  append(list, float_type_option(format.float_type,
                                 "Type of what is not quantized, where the samples' values allow it "
                                 "(default: the target's)"));
  append(list, io_type_option(format.io));
  return list;
}

Option activation_option(std::optional<bool>& uint8_activations) {
  return {.name = "--activation",
          .into = choice(uint8_activations, {{"int8", false}, {"uint8", true}}),
          .group = "Format",
          .help = "Type of quantized activations (default: the target's)"};
}

Option float_type_option(std::optional<FloatType>& type, std::string help) {
  using F = FloatType;
  return {.name = "--float-type",
          .into = choice(type, {{name_of(F::Bf16), F::Bf16}, {name_of(F::Fp16), F::Fp16}, {name_of(F::Fp32), F::Fp32}}),
          .group = "Format",
          .help = std::move(help)};
}

Option io_type_option(IoType& io) {
  return {.name = "--io-type",
          .into = choice(io, {{"keep", IoType::Keep}, {"same", IoType::Same}}),
          .group = "Format",
          .help = "Types of graph inputs and outputs: as they were, or those of the nodes beside them"};
}

Option external_data_option(ExternalData& where) {
  return {.name = "--external-data",
          .into = choice(
              where, {{"always", ExternalData::Always}, {"auto", ExternalData::Auto}, {"never", ExternalData::Never}}),
          .group = "Format",
          .help =
              "Weights in a file beside the model: auto where one file would exceed protobuf's 2 GiB; always, but "
              "for tensors below 1 KiB; never, and an error where that cannot be"};
}

Option block_option(int64_t& block) {
  return {.name = "--block",
          .into = choice(block, {{"16", 16}, {"32", 32}, {"64", 64}, {"128", 128}, {"256", 256}, {"channel", 0}}),
          .type = "N|channel",
          .group = "Format",
          .help = "Weights under one scale: 16, 32, 64, 128, 256 or channel"};
}

Option equalize_option(EqualizeOptions& options) {
  return {.name = "--equalize",
          .into = &options.equalize,
          .type = "off|auto|LIST",
          .group = "Equalization",
          .help =
              "Even out channels exactly before calibrating: auto measures which families help; gate, relu, "
              "linear, norm, act, comma separated, each with an exponent where wished (relu:0.75). Default: off, "
              "or what --table was measured with"};
}

Option bias_correction_option(EqualizeOptions& options) {
  return {.name = "--bias-correction",
          .into = choice(options.bias_correction, {{"off", false}, {"on", true}}),
          .group = "Equalization",
          .help =
              "Put the mean error that quantization leaves in each layer into its bias, where that improves the "
              "outputs on samples that it was not measured on (needs 16 samples). Default: off; on with quantize "
              "--accuracy best"};
}

OptionList run_options(RunSettings& run) {
  return list_of(Option{.name = "--threads",
                        .into = &run.threads,
                        .type = "N",
                        .group = "Running",
                        .help = "Worker threads (default: all cores); results do not depend on it",
                        .least = 1,
                        .most = 4096},
                 Option{.name = "--skip-bad-data",
                        .into = &run.skip_bad_data,
                        .group = "Running",
                        .help = "Count and skip samples that cannot be read instead of stopping"});
}

Option products_option(RunSettings& run) {
  return {.name = "--cpu",
          .into = choice(run.products, {{"avx2", CpuProducts::Avx2}, {"exact", CpuProducts::Exact}}),
          .group = "Running",
          .help =
              "Arithmetic of UINT8 x INT8 products: exact, or as ONNX Runtime on x86 CPUs without VNNI, which "
              "saturate sums of two products at 16 bits"};
}

OptionList limit_options(bool model) {
  OptionList list = list_of(Option{
      .name = "--max-memory",
      .into = limit("--max-memory", [](const std::string& text) { set_memory_limit(parse_memory(text)); }),
      .type = "BYTES",
      .group = "Limits",
      .help = "Refuse what would take more: a tensor, table, image or array, and all tensors together. K, M and G are "
              "10^3, 10^6 and 10^9 bytes (default: what the machine has free)"});
  if (model)
    append(list, Option{.name = "--allow-external",
                        .into = limit("--allow-external", allow_folder, true),
                        .type = "DIR",
                        .group = "Limits",
                        .help = "Let a model's external data lie in DIR too; data outside the model's folder is "
                                "refused without it (repeatable)"});
  return list;
}

}  // namespace detent
