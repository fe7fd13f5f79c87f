#include "options/groups.h"

#include <algorithm>

#include "core/files/allowed_folders.h"
#include "core/memory_limit.h"
#include "core/nearest_names.h"
#include "core/parse.h"
#include "core/text.h"
#include "detent/base/error.h"

namespace detent {

namespace {

using P = PlacementOptions;

OptionTraits format_key() { return {.key_of = "--format"}; }
OptionTraits feed_key(const char* python = "") { return {.key_of = "--feed", .keeps_name = true, .python = python}; }

void take_shard(const std::string& text, DataOptions& data) {
  const size_t slash = text.find('/');
  const auto index = parse_number<size_t>(std::string_view(text).substr(0, slash));
  const auto count = slash == std::string::npos ? std::nullopt : parse_number<size_t>(text.substr(slash + 1));
  if (!index || !count) throw Error(ErrorCode::Usage, "--shard: '" + text + "' is not I/N, such as 2/4");
  if (*index < 1 || *index > *count)
    throw Error(ErrorCode::Usage, "--shard: '" + text + "' is not I/N with 1 <= I <= N");
  data.shard_index = *index, data.shard_count = *count;
}

/// Returns the seconds of "30s", "10m", "2h" or "1.5h".
/// Errors  Usage.
double seconds_of(const std::string& option, const std::string& text) {
  constexpr std::pair<std::string_view, double> kUnits[] = {{"s", 1}, {"m", 60}, {"h", 3600}};
  constexpr double kMost = 1e6;  // eleven days
  for (const auto& [unit, seconds] : kUnits) {
    if (!text.ends_with(unit)) continue;
    const auto number = parse_number<double>(std::string_view(text).substr(0, text.size() - unit.size()));
    if (number && *number > 0 && *number * seconds <= kMost) return *number * seconds;
  }
  throw Error(ErrorCode::Usage, option + ": '" + text + "' is not a time such as 30s, 10m or 2h");
}

/// Adds "image=1,3,224,224" to `shapes`.
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

/// Returns a parser that names `option` in front of errors from `set`.
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
  std::string lines = join(calibrator_list(), ", ", &CalibratorEntry::name) + " or auto";
  for (const CalibratorEntry& entry : calibrator_list())
    lines += "\n  " + std::string(entry.name) + ": " + std::string(entry.summary);
  return lines + "\n  auto: measures them at the outputs of the quantized model and takes the best";
}

}  // namespace

void check_calibrator(const std::string& option, const std::string& text) {
  std::vector<std::string> names{"auto"};
  for (const CalibratorEntry& entry : calibrator_list()) names.emplace_back(entry.name);
  const std::string name = text.substr(0, text.find(':'));
  if (name != "auto" && !is_calibrator(name) && !likely_name(name, names).empty()) refuse_word(option, name, names);
}

OptionList data_options(DataOptions& data, bool required) {
  Option steps = row("--steps N", &data.steps,
                     "Models with states, such as decoders with a cache: cut each sample into N steps, whose outputs "
                     "feed the next step's inputs as --state says",
                     feed_key());
  steps.traits.least = 1;
  Option state = row("--state FILE.json", &data.state,
                     "With --steps: {\"feeds\": {\"OUTPUT\": \"INPUT\"}, \"cut\": {\"INPUT\": AXIS}, \"start\": "
                     "{\"INPUT\": \"zeros|empty|data\"}}: which outputs feed which inputs, the axis of an input that "
                     "counts steps, and the first value of a state. \"argmax(LOGITS)\" feeds a decoder's token, "
                     "\"append(argmax(LOGITS))\" all tokens so far; they start with \"start\": {\"INPUT\": [TOKEN]}",
                     feed_key());
  state.traits.file = FileUse::Reads;
  return under(
      "Data",
      list_of(
          row("--data [INPUT=]SRC", &data,
              "Folder of images, audio (.wav, .flac), .npy or .npz, one such file, a test_data_set folder, a .txt or "
              ".csv list, text:FILE,vocab=bytes|FILE[,length=N] (.txt or .jsonl; FILE: a tokenizer.json or a list of "
              "tokens), or random:normal|uniform[,n=32][,seed=1]; one for each model input. Longer rows of token ids "
              "are cut to the length of the model's input",
              {.file = FileUse::Reads, .required = required}),
          row("--preprocess SPEC", &data.preprocess,
              "Preprocessing of images: a preset (imagenet, timm, imagenet-opencv, unit, raw, yolox, yolo, rtdetr, "
              "clip, siglip, mobilenet-tf ...), key=value pairs, or both, separated by commas. Keys: resize crop "
              "letterbox color div mean std interp layout. Of audio: log-mel (or whisper), fbank (Kaldi) or raw-audio, "
              "and pairs behind it. Keys: rate channel bins layout seconds scale low high snip-edges normalize mean "
              "std"),
          row("--shuffle SEED", &data.shuffle, "Shuffle the samples with this seed, before --limit"),
          row("--limit N", &data.limit, "Use the first N samples", {.least = 1}),
          row("--batch-axis INPUT=AXIS|none", &data.batch_axes,
              "Axis of an input that counts samples, from 0 on, or none, if the model leaves it unclear (repeatable)",
              feed_key("batch_axis: Mapping[str, Optional[int]]")),
          row("--mask INPUT", &data.padding_masks,
              "Input [N,S] that is 0 at padding. Padding is left out of histograms, means, errors and scores. Inputs "
              "named attention_mask are found automatically (repeatable)",
              feed_key()),
          row("--missing", choice(data.missing_nan, {{"nan", true}, {"none", false}}),
              "nan: NaN in a float input is a missing value, as in tables; by default only where an IsNaN reads it",
              feed_key()),
          steps, state,
          row("--shard I/N", Parsed{[&data](const std::string& text) { take_shard(text, data); }},
              "Use every N-th sample, starting with the I-th", feed_key())));
}

OptionList eval_options(DataOptions& eval, const DataOptions& data, bool required) {
  eval.spread = true;
  return under("Evaluation", list_of(row("--eval [INPUT=]SRC", &eval,
                                         "Samples to judge on, in the same forms as --data and with its --preprocess",
                                         {.file = FileUse::Reads, .required = required}),
                                     row("--eval-limit N", &eval.limit, "Judge on N samples, spread evenly over --eval",
                                         {.least = 1}),
                                     [&eval, &data] {
                                       eval.preprocess = data.preprocess;
                                       eval.batch_axes = data.batch_axes;
                                       eval.padding_masks = data.padding_masks;
                                       eval.missing_nan = data.missing_nan;
                                       eval.steps = data.steps, eval.state = data.state;
                                     }));
}

Option next_token_option(bool& next_token) {
  return row("--next-token", &next_token,
             "Language models: compare logits [N,S,V] with the next token. Reports cross entropy (nats per token), "
             "perplexity and accuracy. Ids that are one longer than the model's input score every position, otherwise "
             "all except the last",
             {.group = "Evaluation"});
}

OptionList transcripts_options(std::filesystem::path& transcripts, std::filesystem::path& vocabulary) {
  return under(
      "Evaluation",
      list_of(row("--transcripts FILE.csv", &transcripts,
                  "Texts of audio files (file,text): truth of what CTC reads from logits. Files are relative to "
                  "--eval. The class with the highest logit counts at each position. Reports the word and the "
                  "character error rate. Needs --vocab, or \"vocab\" in a pipeline's \"decode\"",
                  {.file = FileUse::Reads}),
              row("--vocab FILE", &vocabulary,
                  "Tokens of --transcripts by class: one a line, or a .json. Lines may all be TOKEN CLASS. "
                  "<blank> or <pad> is the blank; | and a leading U+2581 are blanks between words",
                  {.file = FileUse::Reads}),
              [&transcripts, &vocabulary] {
                if (transcripts.empty() && !vocabulary.empty())  // a pipeline may name the vocabulary
                  throw Error(ErrorCode::Usage, "--transcripts and --vocab need each other",
                              "--vocab FILE names the token of each class of the logits");
              }));
}

Option detections_option(RunSettings& run) {
  return row("--detections FORM", &run.detections,
             "Form of a detector's outputs: auto (by the graph), none (judged as numbers), xyxy-score-class, "
             "cxcywh-scores, boxes+logits or boxes+scores+labels",
             {.group = "Evaluation"});
}

OptionList judging_options(RunSettings& run) {
  return list_of(row("--judged-outputs LIST", &run.judged_outputs,
                     "Outputs that count, comma separated (default: all). Errors, scores, bounds, the verdict and the "
                     "choice of a calibrator are measured at them alone",
                     {.group = "Evaluation", .commas = true}),
                 detections_option(run));
}

OptionList evaluation_options(EvaluationOptions& evaluation, const DataOptions& data, bool required) {
  return under(
      "Evaluation",
      list_of(
          eval_options(evaluation.data, data, required),
          row("--labels FILE|DIR", &evaluation.labels,
              "Truth of the samples: .csv (file,label), .json (boxes of COCO) or a folder of boxes (YOLO, Pascal VOC). "
              "Files are relative to --eval. FILE.csv reports top-1 and top-5; boxes report mAP, and DIR has a .txt of "
              "YOLO or an .xml of Pascal VOC for each image",
              {.file = FileUse::Reads}),
          row("--masks DIR", &evaluation.masks,
              "Folder of masks with the names of the images, pixel = class. 255 is unlabelled, if there are more than "
              "two classes. Reports the mean IoU",
              {.file = FileUse::Reads}),
          next_token_option(evaluation.next_token), transcripts_options(evaluation.transcripts, evaluation.vocabulary),
          row("--metric-command CMD", &evaluation.metric_command,
              "Command for your own metric: takes two folders with one .npy per output, of the float model and of a "
              "candidate, and prints one number; larger is better")));
}

OptionList bound_options(AccuracyBound& bound, const DataOptions& data) {
  return under(
      "Evaluation",
      list_of(
          row("--max-drop X", &bound.max_drop,
              "Keep layers float until the score drops by at most X, as a fraction (0.01 is one point). With "
              "--next-token until the cross entropy rises by at most X nats per token, with --transcripts until the "
              "word error rate rises by X. Needs --eval and --labels, --masks, --next-token, --transcripts or "
              "--metric-command. Reports the 95 % interval of the drop. If not reachable: "
              "writes the best model and exits 1",
              {.least = 0, .most = 1e9}),
          row("--min-sqnr DB", &bound.min_sqnr_db,
              "Keep layers float until the outputs have at least this SQNR in dB on --eval (default: on --data). With "
              "--target qnn both bounds give 16 bits instead of floats",
              {.least = -1000, .most = 1000}),
          evaluation_options(bound.evaluation, data, false), [&bound] {
            if (!bound.given() && !bound.evaluation.data.given() && judges_a_task(bound.evaluation))
              throw Error(ErrorCode::Usage, std::string(kTaskOptions) + " need --eval",
                          "--eval names the samples that they judge");
          }));
}

Option calibrator_option(std::string& calibrator) {
  return row("--calibrator NAME[:ARG]", &calibrator, "Method to choose ranges from histograms: " + calibrator_lines(),
             {.group = "Calibration", .check = check_calibrator});
}

Option override_option(std::filesystem::path& file) {
  return row("--override FILE.json", &file, "JSON file with the calibrator, the range or 16 bits of single values",
             {.group = "Calibration", .file = FileUse::Reads});
}

Option outliers_option(OutlierPolicy& policy) {
  using O = OutlierPolicy;
  return row("--outliers",
             choice(policy, {{name_of(O::Clip), O::Clip}, {name_of(O::Drop), O::Drop}, {name_of(O::Keep), O::Keep}}),
             "What to do with a sample that alone sets many ranges: keep it, drop it, or clip ranges to what the other "
             "samples reach",
             {.group = "Calibration", .key_of = "--policy"});
}

Option target_option(std::string& target) {
  return row("--target NAME[:VERSION]", &target,
             "Engine, with an optional version (tensorrt:8.6) or device (openvino:npu): 'detent help quantize --long' "
             "lists them",
             {.group = "Placement"});
}

void add_parts(const std::string& list, std::vector<std::string>& parts) {
  for (size_t at = 0; at < list.size();) {
    const size_t end = std::min(list.find(',', at), list.size());
    parts.push_back(list.substr(at, end - at));
    at = end + 1;
  }
}

OptionList target_options(std::string& target, std::vector<std::string>& targets) {
  Option one = target_option(target);
  const auto given = std::make_shared<std::vector<std::string>>();
  const auto take = [given](const std::string& list) { add_parts(list, *given); };
  return list_of(
      row(one.long_name() + " " + one.type, Parsed{.take = take, .joins = true},
          one.help + ". Repeated: writes OUT with .TARGET in front of .onnx for each, after one pass over "
                     "the samples",
          {.group = one.traits.group, .python = "target: Union[str, Sequence[str]]", .default_text = target}),
      [&target, &targets, given] {
        if (given->size() == 1) target = given->front();
        targets = given->size() > 1 ? *given : std::vector<std::string>{};
      });
}

Option type_option(CodeType& type) {
  return row(
      "--type",
      choice(type, {{option_name_of(CodeType::Fp8), CodeType::Fp8}, {option_name_of(CodeType::Int8), CodeType::Int8}}),
      "Type to quantize to: INT8, or FP8 (float8e4m3fn, for TensorRT on Ada, Hopper and later; Conv, Gemm, MatMul and "
      "residual Adds)",
      {.group = "Format"});
}

OptionList node_options(NodeChoice& nodes) {
  return under("Placement",
               list_of(row("--include REGEX", &nodes.include,
                           "Quantize nodes whose name matches, even if a rule keeps them float (repeatable)"),
                       row("--exclude REGEX", &nodes.exclude, "Keep nodes whose name matches float (repeatable)"),
                       keys_of("--policy", list_of(row("--include-op OP", &nodes.include_op,
                                                       "Quantize nodes of this operator (repeatable)"),
                                                   row("--exclude-op OP", &nodes.exclude_op,
                                                       "Keep nodes of this operator float (repeatable)")))));
}

OptionList policy_options(PlacementOptions& placement) {
  return keys_of(
      "--policy",
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
              "Pairs around the activation of a ConvTranspose: only after it, or on both sides"),
          row("--act-add", choice(placement.act_add, {{"both", P::ActAdd::Both}, {"main", P::ActAdd::Main}}),
              "Inputs of an Add behind an activation that get a pair"),
          row("--se-mul", choice(placement.se_mul, {{"both", P::SeMul::Both}, {"float", P::SeMul::Float}}),
              "Pairs on the product of a squeeze-and-excite block"),
          row("--maxpool", choice(placement.maxpool, {{"after", P::MaxPool::After}, {"both", P::MaxPool::Both}}),
              "Pairs around a MaxPool: only after it, or on both sides"),
          row("--small-layers",
              choice(placement.small_layers, {{"auto", P::SmallLayers::Auto}, {"quantize", P::SmallLayers::Quantize}}),
              "Layers too small to gain from INT8"),
          row("--attention",
              choice(placement.attention, {{"auto", P::Attention::Auto},
                                           {"float", P::Attention::Float},
                                           {"fp8", P::Attention::Fp8},
                                           {"int8", P::Attention::Int8}}),
              "Products of attention: float, quantized as the engine fuses them (int8, or fp8 with --type fp8), or "
              "auto: what costs no accuracy"),
          row("--residual",
              choice(placement.residual,
                     {{"auto", P::Residual::Auto}, {"float", P::Residual::Float}, {"quantize", P::Residual::Quantize}}),
              "Residual Adds of a transformer: auto keeps those float whose measured ranges INT8 would ruin; quantize "
              "puts pairs on all; float keeps all float"),
          row("--embeddings",
              choice(placement.embeddings,
                     {{"auto", P::Embeddings::Auto}, {"float", P::Embeddings::Float}, {"int8", P::Embeddings::Int8}}),
              "Tables that Gather reads, for onnxruntime and openvino: INT8 with a scale a column, or float; auto: "
              "INT8 "
              "above 1 MB"),
          row("--float-weights",
              choice(placement.float_weights, {{"float", P::FloatWeights::Float}, {"int8", P::FloatWeights::Int8}}),
              "Weights of layers that stay float: int8 stores them as codes with a scale a channel, a quarter of the "
              "size; the engine may convert them in each run"),
          row("--scales", choice(placement.scales, {{"fp16", P::Scales::Fp16}, {"fp32", P::Scales::Fp32}}),
              "Scales of FP16 values: FP16, which raises the opset to 19, or FP32 between casts",
              {.key_of = "--format"}),
          row("--quantize-outputs", &placement.quantize_outputs, "Put pairs on graph outputs too")));
}

OptionList placement_options(PlacementOptions& placement) {
  return list_of(type_option(placement.type), node_options(placement), policy_options(placement));
}

Option shape_option(std::map<std::string, std::vector<int64_t>>& shapes) {
  return row("--shape NAME=1,3,224,224", Parsed{[&shapes](const std::string& text) { take_shape(text, shapes); }, true},
             "Sizes of an input that the model leaves open, to count MACs and bytes",
             {.python = "shapes: Mapping[str, Sequence[int]]"});
}

OptionList format_options(FormatOptions& format, CpuOption cpu) {
  using WeightBounds = FormatOptions::WeightRange;
  OptionList list = list_of(
      row("--weights", choice(format.int8_weights, {{"fp32", false}, {"int8", true}}),
          "Weights: INT8 initializer + DequantizeLinear, or FP32 initializer + pair (default: the target's)",
          format_key()),
      row("--weight-range", choice(format.weight_range, {{"max", WeightBounds::Max}, {"mse", WeightBounds::Mse}}),
          "Method to choose the range of each channel's weights", format_key()),
      row("--weight-bits", choice(format.weight_bits, {{"7", 7}, {"8", 8}}),
          "Bits of weights: 8, or 7 against saturation on CPUs without VNNI", format_key()),
      row("--per-tensor", &format.per_tensor, "One scale per weight tensor instead of one per output channel",
          format_key()),
      activation_option(format.activation, format.dynamic),
      row("--range", choice(format.full_range, {{"full", true}, {"narrow", false}}),
          "Scale of int8 and int16: narrow is amax/127 (32767), full is amax/128 (32768)", format_key()));
  if (cpu == CpuOption::Offered)
    append(list, row("--cpu", choice(format.cpu, {{"any", Cpu::Any}, {"vnni", Cpu::Vnni}}),
                     "With --target onnxruntime or openvino:cpu: x86 CPUs on which results must be correct. any: "
                     "scales weights so that CPUs without VNNI never saturate; vnni: uses all codes (default: any)"));
  append(list, list_of(row("--bias", choice(format.int32_bias, {{"float", false}, {"int32", true}}),
                           "Type of biases (default: the target's)", format_key()),
                       float_type_option(format.float_type,
                                         "Type of what is not quantized, where measured values allow it (default: the "
                                         "target's)"),
                       io_type_option(format.io)));
  return under("Format", std::move(list));
}

Option activation_option(std::optional<DataType>& activation, bool& dynamic) {
  using D = DataType;
  Choice type =
      choice(activation, {{"int16", D::Int16}, {"int8", D::Int8}, {"uint16", D::UInt16}, {"uint8", D::UInt8}});
  Choice any = type;
  any.words.insert(any.words.begin(), {"auto", "dynamic"});
  any.get = [type, &dynamic] { return dynamic ? "dynamic" : type.get(); };
  any.take = [type, &activation, &dynamic](const std::string& word) {
    dynamic = word == "dynamic";
    if (!dynamic && word != "auto") return type.take(word);
    activation.reset();
  };
  return row(
      "--activation", any,
      "Type of quantized activations (default: auto, the target's). For onnxruntime auto gives scales at run time to "
      "products that no scale in advance fits. With 16 bits weights keep 8 (A16W8), below opset 21 by operators "
      "of com.microsoft. dynamic: with --target onnxruntime, products find the scale of their activations at run "
      "time; other layers have pairs with --data, and stay float without",
      {.group = "Format"});
}

Option float_type_option(std::optional<FloatType>& type, std::string help) {
  using F = FloatType;
  return row("--float-type",
             choice(type, {{name_of(F::Bf16), F::Bf16}, {name_of(F::Fp16), F::Fp16}, {name_of(F::Fp32), F::Fp32}}),
             std::move(help), {.group = "Format"});
}

Option io_type_option(IoType& io) {
  return row("--io-type", choice(io, {{"keep", IoType::Keep}, {"same", IoType::Same}}),
             "Types of graph inputs and outputs: unchanged, or those of the nodes that use them", format_key());
}

Option external_data_option(ExternalData& where) {
  return row(
      "--external-data",
      choice(where, {{"always", ExternalData::Always}, {"auto", ExternalData::Auto}, {"never", ExternalData::Never}}),
      "Weights in a file beside the model. auto: if the model would exceed protobuf's 2 GiB; always: all except "
      "tensors below 1 KiB; never: none, an error beyond 2 GiB",
      format_key());
}

Option block_option(int64_t& block) {
  return row("--block N|channel",
             choice(block, {{"16", 16}, {"32", 32}, {"64", 64}, {"128", 128}, {"256", 256}, {"channel", 0}}),
             "Number of weights under one scale: 16, 32, 64, 128, 256, or channel for a whole channel",
             {.group = "Format"});
}

Option equalize_option(EqualizeOptions& options) {
  return row("--equalize off|outliers|auto|LIST", &options.equalize,
             "Even out the channels of values exactly before calibration. outliers: only channels far larger than the "
             "others in front of matrix products, where outputs gain; auto: measures which families help; a comma "
             "separated list of gate, relu, linear, norm, act, product, value, branch, each with an optional exponent "
             "(relu:0.75). Default: outliers with quantize, compare and sensitivity --type int8, auto with quantize "
             "--accuracy best, else off; with --table what it was measured with",
             {.group = "Equalization"});
}

Option bias_correction_option(EqualizeOptions& options) {
  return row("--bias-correction", choice(options.bias_correction, {{"off", false}, {"on", true}}),
             "Correct each layer's bias by its mean quantization error, if that improves the outputs of held-out "
             "samples (needs 16 samples). Default: off; on with quantize --accuracy best",
             {.key_of = "--policy"});
}

OptionList run_options(RunSettings& run) {
  return under("Running", list_of(row("--threads N", &run.threads,
                                      "Number of worker threads (default: all cores). Results do not depend on it",
                                      {.least = 1, .most = 4096}),
                                  row("--skip-bad-data", &run.skip_bad_data,
                                      "Skip and count samples that cannot be read instead of stopping")));
}

Option time_limit_option(RunSettings& run) {
  return row("--time-limit DURATION",
             Parsed{[&run](const std::string& text) { run.time_limit = seconds_of("--time-limit", text); }},
             "End after this time (30s, 10m, 2h) with the best result so far: a search leaves its other steps out, a "
             "table has the samples that were measured. Ctrl-C does the same once there is a result, and exits 130",
             {.group = "Running", .python = "time_limit: str"});
}

Option products_option(RunSettings& run) {
  return row(
      "--emulate", choice(run.products, {{"avx2", CpuProducts::Avx2}, {"exact", CpuProducts::Exact}}),
      "Arithmetic of UINT8 x INT8 products: exact, or avx2: as ONNX Runtime on x86 CPUs without VNNI, where sums "
      "of two products saturate at 16 bits",
      {.group = "Running", .python = "cpu: Literal[\"avx2\", \"exact\"]"});
}

Option isa_option(std::string& isa) {
  return row("--isa", choice(isa, {{"avx2", "avx2"}, {"avx512", "avx512"}, {"native", "native"}}),
             "Instruction set of the kernels: avx2 and avx512 give the same bits on every CPU that has them",
             {.group = "Running"});
}

OptionList limit_options(bool model) {
  OptionList list =
      list_of(row("--max-memory BYTES",
                  limit("--max-memory", [](const std::string& text) { set_memory_limit(parse_memory(text)); }),
                  "Limit of memory for a tensor, table, image or array, and for all tensors together; larger ones are "
                  "an error. Suffixes K, M and G are 10^3, 10^6 and 10^9 (default: what the machine has free)"));
  if (model)
    append(list, row("--allow-external DIR", limit("--allow-external", allow_folder, true),
                     "Allow external data of a model in DIR too, not only in the model's folder (repeatable)"));
  for (Option& option : list.options) option.traits.of_program = true;
  return under("Limits", std::move(list));
}

}  // namespace detent
