#include "cli/option_groups.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <sstream>

#include "core/nearest_names.h"
#include "core/parse.h"
#include "core/text.h"
#include "detent/calibrator.h"
#include "detent/error.h"

namespace detent::cli {

namespace {

size_t parse_count(const std::string& text, const std::string& what) {
  if (const auto value = parse_number<size_t>(text)) return *value;
  throw Error(ErrorCode::Usage, what + ": '" + text + "' is not a number");
}

void parse_shard(const std::string& text, DataOptions& data) {
  const size_t slash = text.find('/');
  if (slash == std::string::npos) throw Error(ErrorCode::Usage, "--shard: '" + text + "' is not I/N, such as 2/4");
  data.shard_index = parse_count(text.substr(0, slash), "--shard");
  data.shard_count = parse_count(text.substr(slash + 1), "--shard");
  if (data.shard_index < 1 || data.shard_index > data.shard_count)
    throw Error(ErrorCode::Usage, "--shard: '" + text + "' is not I/N with 1 <= I <= N");
}

/// "image=1,3,224,224" -> entry of `shapes`.
void parse_shape(const std::string& text, std::map<std::string, std::vector<int64_t>>& shapes) {
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

}  // namespace

void refuse_choice(const std::string& option, const std::string& given, const std::vector<std::string>& names) {
  throw Error(ErrorCode::Usage, option + ": '" + given + "' is not one of " + join(names), did_you_mean(given, names));
}

CLI::Validator known_calibrator(const std::string& option) {
  return {[option](std::string& text) {
            std::vector<std::string> names{"auto"};
            for (const CalibratorEntry& entry : calibrator_list()) names.emplace_back(entry.name);
            const std::string name = text.substr(0, text.find(':'));
            const bool known = std::ranges::find(names, name) != names.end();
            if (!known && !likely_name(name, names).empty()) refuse_choice(option, name, names);
            return std::string();
          },
          ""};
}

CLI::Validator count_from(int64_t least) {
  return {[least](std::string& text) {
            const auto count = parse_number<int64_t>(text);
            if (count && *count >= least) return std::string();
            return "'" + text + "' is not a whole number from " + std::to_string(least) + " on";
          },
          ""};
}

CLI::Validator number_from(double least, double most) {
  return {[least, most](std::string& text) {
            double number = std::nan("");
            const bool read = CLI::detail::lexical_cast(text, number);
            if (read && std::isfinite(number) && number >= least && number <= most) return std::string();
            return fmt::format("'{}' is not a number from {:g} to {:g}", text, least, most);
          },
          ""};
}

Collect add_data_options(CLI::App& app, DataOptions& data, Need need) {
  data.option = "--data";
  auto* source =
      app.add_option("--data", data.sources,
                     "[INPUT=]SRC: a folder of images, .npy or .npz, a .npy or .npz file, a test_data_set folder, a "
                     ".txt or .csv list, text:FILE,vocab=bytes|FILE[,length=N] (.txt or .jsonl), or "
                     "random:normal|uniform[,n=32][,seed=1]; one for each model input. Rows of token ids longer than "
                     "the model's input are cut to windows of its length")
          ->type_name("[INPUT=]SRC")
          ->allow_extra_args(false)
          ->group("Data");
  if (need == Need::Required) source->required();
  app.add_option("--preprocess", data.preprocess,
                 "How images become tensors: a preset (imagenet, unit, raw, yolox, yolo), key=value pairs, or both, "
                 "separated by commas. Keys: resize crop letterbox color div mean std interp layout")
      ->type_name("SPEC")
      ->group("Data");
  app.add_option("--shuffle", data.shuffle, "Shuffle the samples with this seed, before --limit")
      ->type_name("SEED")
      ->group("Data");
  app.add_option("--limit", data.limit, "Use the first N samples")->type_name("N")->check(count_from(1))->group("Data");
  app.add_option("--batch-axis", data.batch_axes,
                 "Axis of an input that counts samples, from 0 on, or none, where the model does not tell (repeatable)")
      ->type_name("INPUT=AXIS|none")
      ->allow_extra_args(false)
      ->group("Data");
  app.add_option(
         "--mask", data.padding_masks,
         "Input [N,S] that is 0 at padding, which then counts nowhere: not in histograms, means, errors and scores. "
         "Inputs called attention_mask are found without")
      ->type_name("INPUT")
      ->expected(1)
      ->group("Data");
  auto shard = std::make_shared<std::string>();
  app.add_option("--shard", *shard, "Use every N-th sample from the I-th on")->type_name("I/N")->group("Data");
  return [shard, &data] {
    if (!shard->empty()) parse_shard(*shard, data);
  };
}

void add_calibrator_options(CLI::App& app, std::string& calibrator, std::filesystem::path& override_file) {
  std::string calibrators;
  for (const CalibratorEntry& entry : calibrator_list())
    calibrators += "\n  " + std::string(entry.name) + ": " + std::string(entry.summary);
  calibrators += "\n  auto: measures them at the outputs of the quantized model and takes the best";
  app.add_option("--calibrator", calibrator, "How ranges are chosen from the histograms:" + calibrators)
      ->type_name("NAME[:ARG]")
      ->check(known_calibrator("--calibrator"))
      ->capture_default_str()
      ->group("Calibration");
  app.add_option("--override", override_file, "Calibrator or range of single values, JSON")
      ->type_name("FILE.json")
      ->group("Calibration");
}

void add_outlier_option(CLI::App& app, OutlierPolicy& policy) {
  add_choice(
      app, "--outliers", policy,
      {{"keep", OutlierPolicy::Keep}, {"drop", OutlierPolicy::Drop}, {"clip", OutlierPolicy::Clip}},
      "Samples that alone set the range of many values: keep them, drop them, or clip: no range goes beyond what "
      "the other samples reach",
      "Calibration");
}

Collect add_run_options(CLI::App& app, RunSettings& run) {
  app.add_option("--threads", run.threads, "Worker threads (default: all cores); results do not depend on it")
      ->type_name("N")
      ->check(CLI::Range(1, 4096))
      ->group("Running");
  app.add_flag("--skip-bad-data", run.skip_bad_data, "Count and skip samples that cannot be read instead of stopping")
      ->group("Running");
  return [] {};
}

Collect add_placement_options(CLI::App& app, std::string& target, PlacementOptions& placement) {
  using P = PlacementOptions;
  app.add_option("--target", target, "tensorrt or onnxruntime, with a version where facts differ: tensorrt:8.6")
      ->type_name("NAME[:VERSION]")
      ->capture_default_str()
      ->group("Placement");
  add_choice<CodeType>(app, "--type", placement.type, {{"int8", CodeType::Int8}, {"fp8", CodeType::Fp8}},
                       "What is quantized becomes INT8, or FP8 (float8e4m3fn, for TensorRT on Ada, Hopper and later; "
                       "Conv, Gemm, MatMul and residual Adds)",
                       "Format");
  const auto repeatable = [&](const std::string& name, std::vector<std::string>& values, const char* type,
                              const std::string& help) {
    app.add_option(name, values, help + " (repeatable)")->type_name(type)->allow_extra_args(false)->group("Placement");
  };
  repeatable("--include", placement.include, "REGEX",
             "Quantize nodes whose name matches, even where a rule keeps them float");
  repeatable("--exclude", placement.exclude, "REGEX", "Keep nodes whose name matches float");
  repeatable("--include-op", placement.include_op, "OP", "Quantize nodes of this operator");
  repeatable("--exclude-op", placement.exclude_op, "OP", "Keep nodes of this operator float");
  add_choice<P::Concat>(
      app, "--concat", placement.concat,
      {{"shared", P::Concat::Shared}, {"inputs", P::Concat::Inputs}, {"independent", P::Concat::Independent}},
      "Scales around a Concat");
  add_choice<P::DeconvActivation>(app, "--deconv-activation", placement.deconv_activation,
                                  {{"auto", P::DeconvActivation::ByActivation},
                                   {"fuse", P::DeconvActivation::Fuse},
                                   {"split", P::DeconvActivation::Split}},
                                  "Pair behind the activation of a ConvTranspose only, or on both sides");
  add_choice<P::ActAdd>(app, "--act-add", placement.act_add, {{"both", P::ActAdd::Both}, {"main", P::ActAdd::Main}},
                        "Inputs of an Add behind an activation that get a pair");
  add_choice<P::SeMul>(app, "--se-mul", placement.se_mul, {{"both", P::SeMul::Both}, {"float", P::SeMul::Float}},
                       "Pairs on the product of a squeeze-and-excite block");
  add_choice<P::MaxPool>(app, "--maxpool", placement.maxpool,
                         {{"after", P::MaxPool::After}, {"both", P::MaxPool::Both}},
                         "Pair behind a MaxPool only, or on both sides");
  add_choice<P::SmallLayers>(app, "--small-layers", placement.small_layers,
                             {{"auto", P::SmallLayers::Auto}, {"quantize", P::SmallLayers::Quantize}},
                             "Layers too small to gain from INT8");
  add_choice<P::Attention>(app, "--attention", placement.attention,
                           {{"float", P::Attention::Float}, {"int8", P::Attention::Int8}},
                           "MatMuls of two activations; int8 puts pairs of --type around them");
  add_choice<P::Residual>(
      app, "--residual", placement.residual,
      {{"auto", P::Residual::Auto}, {"quantize", P::Residual::Quantize}, {"float", P::Residual::Float}},
      "Residual stream of a transformer: auto keeps float what measured ranges show to be ruined by INT8; quantize "
      "puts pairs on its Adds; float keeps its Adds float");
  add_choice<P::Scales>(app, "--scales", placement.scales, {{"fp16", P::Scales::Fp16}, {"fp32", P::Scales::Fp32}},
                        "Scales of FP16 values: FP16, for which the opset is raised to 19, or FP32 between casts");
  app.add_flag("--quantize-outputs", placement.quantize_outputs, "Put pairs on graph outputs too")->group("Placement");
  return [] {};
}

Collect add_shape_option(CLI::App& app, std::map<std::string, std::vector<int64_t>>& shapes) {
  auto texts = std::make_shared<std::vector<std::string>>();
  app.add_option("--shape", *texts, "Sizes of an input that the model leaves open, for MACs and bytes")
      ->type_name("NAME=1,3,224,224")
      ->allow_extra_args(false);
  return [texts, &shapes] {
    for (const std::string& text : *texts) parse_shape(text, shapes);
  };
}

void add_io_type_option(CLI::App& app, IoType& io) {
  add_choice(app, "--io-type", io, {{"keep", IoType::Keep}, {"same", IoType::Same}},
             "Types of graph inputs and outputs: as they were, or those of the nodes beside them", "Format");
}

void add_external_data_option(CLI::App& app, ExternalData& where) {
  add_choice(app, "--external-data", where,
             {{"auto", ExternalData::Auto}, {"always", ExternalData::Always}, {"never", ExternalData::Never}},
             "Weights in a file beside the model: auto where one file would exceed protobuf's 2 GiB; always, but for "
             "tensors below 1 KiB; never, and an error where that cannot be",
             "Format");
}

Collect add_float_type_option(CLI::App& app, std::optional<FloatType>& type, const std::string& help) {
  static const std::map<std::string, FloatType> kTypes{
      {"fp32", FloatType::Fp32}, {"fp16", FloatType::Fp16}, {"bf16", FloatType::Bf16}};
  const auto text = std::make_shared<std::string>();
  add_choice(app, "--float-type", *text, {{"fp32", "fp32"}, {"fp16", "fp16"}, {"bf16", "bf16"}}, help, "Format");
  return [text, &type] {
    if (!text->empty()) type = kTypes.at(*text);
  };
}

Collect add_activation_option(CLI::App& app, std::optional<bool>& uint8_activations) {
  auto text = std::make_shared<std::string>();
  add_choice<std::string>(app, "--activation", *text, {{"int8", "int8"}, {"uint8", "uint8"}},
                          "Type of quantized activations (default: the target's)", "Format");
  return [text, &uint8_activations] {
    if (!text->empty()) uint8_activations = *text == "uint8";
  };
}

Collect add_format_options(CLI::App& app, FormatOptions& format) {
  struct Texts {
    std::string weights, weight_range = "max", range = "narrow", bias;
  };
  auto texts = std::make_shared<Texts>();
  const auto choice = [&](const std::string& name, std::string& value, const std::vector<std::string>& known,
                          const std::string& help) {
    std::map<std::string, std::string> names;
    for (const std::string& one : known) names[one] = one;
    add_choice(app, name, value, names, help, "Format");
  };
  choice("--weights", texts->weights, {"int8", "fp32"},
         "INT8 initializer + DequantizeLinear, or FP32 initializer + full pair (default: the target's)");
  choice("--weight-range", texts->weight_range, {"max", "mse"}, "Range of each channel's weights");
  add_choice(app, "--weight-bits", format.weight_bits, {{"7", 7}, {"8", 8}},
             "8, or 7 against saturation on CPUs without VNNI", "Format");
  app.add_flag("--per-tensor", format.per_tensor, "One scale per weight tensor instead of one per output channel")
      ->group("Format");
  const Collect activation = add_activation_option(app, format.uint8_activations);
  choice("--range", texts->range, {"narrow", "full"}, "int8 scale = amax/127, or amax/128");
  choice("--bias", texts->bias, {"float", "int32"}, "Type of biases (default: the target's)");
  const Collect float_type = add_float_type_option(
      app, format.float_type,
      "Type of what is not quantized, where the samples' values allow it (default: the target's)");
  add_io_type_option(app, format.io);
  return [texts, activation, float_type, &format] {
    activation();
    float_type();
    if (!texts->weights.empty()) format.int8_weights = texts->weights == "int8";
    format.weight_range =
        texts->weight_range == "mse" ? FormatOptions::WeightRange::Mse : FormatOptions::WeightRange::Max;
    format.full_range = texts->range == "full";
    if (!texts->bias.empty()) format.int32_bias = texts->bias == "int32";
  };
}

Collect add_cpu_option(CLI::App& app, std::optional<Cpu>& cpu) {
  const auto text = std::make_shared<std::string>();
  add_choice(
      app, "--cpu", *text, {{"any", "any"}, {"vnni", "vnni"}},
      "With --target onnxruntime: the x86 CPUs that must compute the file right. any scales weights so that CPUs "
      "without VNNI never saturate; vnni uses all codes (default: any)",
      "Format");
  return [text, &cpu] {
    if (!text->empty()) cpu = *text == "vnni" ? Cpu::Vnni : Cpu::Any;
  };
}

void add_products_option(CLI::App& app, RunSettings& run) {
  add_choice(app, "--cpu", run.products, {{"exact", CpuProducts::Exact}, {"avx2", CpuProducts::Avx2}},
             "Arithmetic of UINT8 x INT8 products: exact, or as ONNX Runtime on x86 CPUs without VNNI, which saturate "
             "sums of two products at 16 bits",
             "Running");
}

Collect add_equalize_options(CLI::App& app, EqualizeOptions& options, BiasCorrection correction) {
  app.add_option(
         "--equalize", options.equalize,
         "Even out channels exactly before calibrating: auto measures which families help; gate, relu, linear, norm, "
         "act, comma separated, each with an exponent where wished (relu:0.75). Default: off, or what --table was "
         "measured with")
      ->type_name("off|auto|LIST")
      ->group("Equalization");
  if (correction == BiasCorrection::NotOffered) return [] {};
  add_choice<std::optional<bool>>(
      app, "--bias-correction", options.bias_correction, {{"off", false}, {"on", true}},
      "Put the mean error that quantization leaves in each layer into its bias, where that improves the outputs on "
      "samples that it was not measured on (needs 16 samples). Default: off; on with quantize --accuracy best",
      "Equalization");
  return [] {};
}

}  // namespace detent::cli
