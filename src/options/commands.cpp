#include "options/commands.h"

#include <algorithm>
#include <memory>

#include "core/text.h"
#include "options/groups.h"

namespace detent {

namespace {

Option model_argument(std::filesystem::path& model, const char* help = "Float ONNX model") {
  return row("MODEL", &model, help, {.file = FileUse::ReadsModel, .required = true});
}

Option output_option(std::filesystem::path& output, const char* type, const char* help) {
  return row("-o,--output " + std::string(type), &output, help, {.file = FileUse::Writes, .required = true});
}

/// Help texts of a command's report options; null: the command does not have the option.
struct ReportHelp {
  const char *all = nullptr, *html = nullptr, *overwrite = nullptr;
};

/// Returns the options of the files that a command writes besides its output. Python has --overwrite of an output.
OptionList report_options(ReportOptions& report, bool& overwrite, const ReportHelp& help,
                          const char* group = "Report") {
  const auto take_json = [&report](const std::string& value) {  // "true" and "false" stand in configuration files
    if (value != "false") report.json.push_back(value == "true" ? "-" : value);
  };
  OptionList list;
  if (help.all)
    append(list, row("--all", &report.all,
                     "List every " + std::string(help.all) + "; otherwise similar lines are merged into one"));
  append(list, row("--json [FILE|-]", Parsed{.take = take_json, .repeats = true},
                   "Write the report as JSON to FILE and print the text; without FILE, or with -, print JSON instead "
                   "of the text",
                   {.file = FileUse::WritesReport}));
  if (help.html)
    append(list, row("--html FILE.html", &report.html, std::string("Write the report as an HTML page: ") + help.html,
                     {.file = FileUse::WritesReport}));
  for (Option& option : list.options) option.traits.command_line_only = true;
  if (help.overwrite)
    append(list, row("--overwrite", &overwrite, std::string("Replace ") + help.overwrite,
                     {.command_line_only = &overwrite == &report.overwrite}));
  return under(group, std::move(list));
}

constexpr const char* kBothReports = "the files of --json and --html if they exist";
constexpr const char* kEveryFile = "OUT and the report files if they exist";

Option accept_broken_option(ReportOptions& report) {
  return row("--accept-broken", &report.accept_broken,
             "Exit 0 even if the verdict on the written model is 'broken' or 'unknown' (otherwise 1)",
             {.group = "Evaluation"});
}

/// Returns --stop-after, which allows no report.
OptionList stop_after_option(StopAfter& stage, ReportOptions& report) {
  using S = StopAfter;
  Option option = row(
      "--stop-after",
      choice(stage, {{name_of(S::Plan), S::Plan},
                     {name_of(S::Prepare), S::Prepare},
                     {name_of(S::Ranges), S::Ranges},
                     {name_of(S::Rewrite), S::Rewrite}}),
      "Stop after a stage and write its result to OUT, to find the step that spoils a file. prepare: the float model "
      "that is quantized; plan: the document of 'detent plan --json'; ranges: the range of each value, in the format "
      "of --override; rewrite: the quantized model, not checked and not measured",
      {.group = "Running"});
  return list_of(option, [&stage, &report] {
    if (stage == S::Nothing || (report.json.empty() && report.html.empty())) return;
    throw Error(ErrorCode::Usage, "--stop-after does not go with --json and --html",
                "there is no report yet; the result of the stage goes to OUT");
  });
}

/// Returns --draw. text  the samples and the boxes.
Option draw_option(std::filesystem::path& folder, const std::string& text) {
  return row("--draw DIR", &folder,
             "Folder for pictures of a detector's samples, with the boxes that score 0.25 or more, their class and "
             "score: " +
                 text,
             {.group = "Report", .file = FileUse::Writes});
}

/// Returns --targets of compare.
OptionList targets_option(CompareOptions& o) {
  return list_of(row("--targets LIST", &o.targets,
                     "Compare targets, comma separated, instead of calibrators: tensorrt,onnxruntime; each with "
                     "auto, or with all of --calibrators",
                     {.group = "Placement", .commas = true}),
                 [&o] {
                   if (o.targets.empty()) return;
                   const CompareOptions usual;
                   if (o.target != usual.target)
                     throw Error(ErrorCode::Usage, "--target does not go with --targets", "remove one of the two");
                   if (o.calibrators == usual.calibrators) o.calibrators = {"auto"};
                 });
}

/// Returns --fail-below of the commands that compare.
Option fail_below_option(ReportOptions& report) {
  return row("--fail-below X", &report.fail_below,
             "Exit 1 if the winner's score is below X: top-1 and mean IoU as fractions (0.78), SQNR in dB; with "
             "--next-token or --transcripts if its nats or WER are above X",
             {.group = "Report", .least = -1e9, .most = 1e9});
}

/// Returns the options of sensitivity that concern activations; none applies to --weight-only.
OptionList activation_options(SensitivityOptions& o) {
  return list_of(calibrator_option(o.calibrator), override_option(o.override_file), outliers_option(o.outliers),
                 type_option(o.placement.type), policy_options(o.placement),
                 format_options(o.format, CpuOption::NotOffered), equalize_option(o.equalize));
}

/// Returns --weight-only and --block of sensitivity.
OptionList weight_only_options(SensitivityOptions& o) {
  const auto codes = std::make_shared<std::string>();
  const auto block = std::make_shared<int64_t>(WeightFormat{}.block);
  const auto settle = [&o, codes, block] {
    if (codes->empty() && *block != WeightFormat{}.block)
      throw Error(ErrorCode::Usage, "--block is for --weight-only", "add --weight-only int4");
    if (codes->empty()) return;
    o.weights = WeightFormat{*codes == name_of(WeightCodes::Int4) ? WeightCodes::Int4 : WeightCodes::Int8, *block};
    SensitivityOptions usual;
    const OptionList given = activation_options(o), others = activation_options(usual);
    for (size_t i = 0; i < given.options.size(); ++i)
      if (values_of(given.options[i]) != values_of(others.options[i]))
        throw Error(ErrorCode::Usage, given.options[i].spelling() + " does not apply to --weight-only",
                    "remove one of the two");
  };
  return list_of(row("--weight-only", choice(*codes, {{"int4", "int4"}, {"int8", "int8"}}),
                     "Quantize only the weights of MatMul and Gemm, in blocks, rounded so that the layers' outputs "
                     "change least (GPTQ); activations stay float",
                     {.group = "Format"}),
                 block_option(*block), settle);
}

OptionList type_choice_options(TypeChoice& types) {
  Option calibrator = calibrator_option(types.calibrator);
  calibrator.help = "Calibrator of int8 and fp8";
  return list_of(
      row("--types LIST", &types.names,
          "Types to compare, comma separated: int8, fp8, int4 (weights alone, in blocks, rounded by GPTQ)",
          {.group = "Format", .required = true, .commas = true}),
      block_option(types.block), calibrator,
      row("--max-drop X", &types.max_drop,
          "Find the smallest type whose score drops by at most X, as a fraction (0.01 is one point, the default); with "
          "--next-token, whose cross entropy rises by at most X nats per token. Exits 1 if there is none",
          {.group = "Evaluation", .least = 0, .most = 1e9}),
      row("--min-sqnr DB", &types.min_sqnr_db,
          "Find the smallest type whose outputs have at least this SQNR in dB. Exits 1 if there is none",
          {.group = "Evaluation", .least = -1000, .most = 1000}),
      [&types] {
        const bool has_blocks = std::ranges::find(types.names, "int4") != types.names.end();
        if (!has_blocks && types.block != TypeChoice{}.block)
          throw Error(ErrorCode::Usage, "--block is for int4, which --types does not name", "remove --block");
      });
}

}  // namespace

OptionList options_of(QuantizeOptions& o, ReportOptions& report) {
  using A = Accuracy;
  Option calibrator = calibrator_option(o.calibrator);
  calibrator.traits.default_text = "auto; with --table alone " + std::string(kSafeCalibrator);
  return list_of(
      model_argument(o.model, "Float ONNX model"),
      row("MODELS", &o.models, "With --pipeline: its other files", {.file = FileUse::ReadsModel}),
      output_option(o.output, "OUT.onnx", "Quantized model to write; with --pipeline a folder"),
      row("--pipeline FILE.json", &o.pipeline,
          "Several files that run as one model, such as an encoder and a decoder: {\"models\": {\"enc\": \"A.onnx\", "
          "\"dec\": \"B.onnx\"}, \"feeds\": {\"enc:OUTPUT\": \"dec:INPUT\"}, \"data\": {\"enc:INPUT\": \"SRC\"}, "
          "\"loop\": {\"model\": \"dec\", \"steps\": N, \"state\": what --state holds}}. They are calibrated together "
          "and judged at the end; other options name values and nodes enc:NAME",
          {.file = FileUse::Reads}),
      data_options(o.data, false),
      row("--table TABLE.dct", &o.table,
          "Calibration table to take ranges from; --data is then only needed to measure the error",
          {.group = "Calibration", .file = FileUse::Reads}),
      calibrator, override_option(o.override_file),
      row("--accuracy",
          choice(o.accuracy,
                 {{name_of(A::Balanced), A::Balanced}, {name_of(A::Best), A::Best}, {name_of(A::Fast), A::Fast}}),
          "Effort: fast takes one calibrator, balanced measures several, best also tries more steps (minutes). "
          "balanced "
          "also rounds FP8 weights by their effect on the outputs; best: also equalization, ranges value by value, "
          "rounding of INT8 weights and bias correction, and keeps each that helps",
          {.group = "Calibration"}),
      outliers_option(o.outliers), target_options(o.target, o.targets), placement_options(o.placement),
      format_options(o.format, CpuOption::Offered), external_data_option(o.external_data), equalize_option(o.equalize),
      bias_correction_option(o.equalize), bound_options(o.bound, o.data), judging_options(o.run),
      latency_options(o.latency, LatencyUse::Searches), accept_broken_option(report), run_options(o.run),
      time_limit_option(o.run), stop_after_option(o.stop_after, report),
      report_options(report, o.overwrite,
                     {.all = "float layer, note and equalized value",
                      .html = "the verdict and its reasons, outlier samples, every value",
                      .overwrite = kEveryFile}),
      [&o, &report] { o.pictures = !report.html.empty(); }, limit_options(true));
}

OptionList options_of(QuantizeWeightsOptions& o, ReportOptions& report) {
  using W = WeightCodes;
  return list_of(model_argument(o.model), output_option(o.output, "OUT.onnx", "Quantized model to write"),
                 row("--type", choice(o.format.codes, {{name_of(W::Int4), W::Int4}, {name_of(W::Int8), W::Int8}}),
                     "Type of the weights of MatMul and Gemm. Embedding tables, positions and masks become INT8, "
                     "unless --policy exclude-op names their reader (Gather, Add)",
                     {.group = "Format"}),
                 block_option(o.format.block), external_data_option(o.external_data), data_options(o.data, false),
                 target_option(o.target), node_options(o.nodes), bound_options(o.bound, o.data), judging_options(o.run),
                 accept_broken_option(report), run_options(o.run),
                 report_options(report, o.overwrite,
                                {.all = "float layer and note",
                                 .html = "the verdict and its reasons, and every weight",
                                 .overwrite = kEveryFile}),
                 limit_options(true));
}

OptionList options_of(CalibrateOptions& o, ReportOptions& report) {
  const auto take_targets = [&o](const std::string& list) { add_parts(list, o.targets); };
  return list_of(
      model_argument(o.model), output_option(o.output, "TABLE.dct", "Calibration table to write"),
      data_options(o.data, true),
      row("--target NAME[:VERSION][,...]", Parsed{take_targets},
          "Measure only values that these targets quantize with the policies below (default: every value that any "
          "target could quantize)",
          {.group = "Placement", .python = "targets: Sequence[str]"}),
      placement_options(o.placement),
      float_type_option(o.float_type,
                        "fp16 or bf16: also measure the largest |x| of every float value, which quantize --table needs "
                        "for a 16-bit float type (default: the targets')"),
      equalize_option(o.equalize), run_options(o.run),
      row("--resume", &o.resume,
          "Continue TABLE.partial of an interrupted calibration, or start at the first sample if there is none. A "
          "complete TABLE is kept",
          {.group = "Running"}),
      row("--checkpoint SECONDS", &o.checkpoint_seconds,
          "Save TABLE.partial every so many seconds, in case the process is killed; 0: never",
          {.group = "Running", .least = 0, .most = 1e6}),
      isa_option(o.isa),
      report_options(report, o.overwrite, {.overwrite = "TABLE and the file of --json if they exist"}, "Running"),
      limit_options(true));
}

OptionList options_of(MergeTablesOptions& o, ReportOptions& report) {
  return list_of(
      row("TABLE", &o.tables, "Calibration tables of one model; TABLE.partial of interrupted runs too",
          {.file = FileUse::Reads, .required = true, .python = "tables: Sequence[_Path]"}),
      output_option(o.output, "TABLE.dct", "Merged table to write"),
      row("--mixed-isa", &o.mixed_isa,
          "Accept tables from CPUs with different instruction sets, whose results differ in the last bits"),
      row("--partial", &o.partial, "Accept missing and interrupted shards (otherwise exit 1)"),
      row("--resume", &o.resume, "Keep an output that already holds this sum"),
      report_options(report, o.overwrite, {.overwrite = "the output and the file of --json if they exist"}, ""),
      limit_options(false));
}

OptionList options_of(CastModelOptions& o, ReportOptions& report) {
  using F = FloatType;
  using S = PlacementOptions::Scales;
  return list_of(
      model_argument(o.model), output_option(o.output, "OUT.onnx", "Converted model to write"),
      data_options(o.data, false),
      row("--float-type", choice(o.type, {{name_of(F::Bf16), F::Bf16}, {name_of(F::Fp16), F::Fp16}}),
          "Type of the nodes whose measured values allow it", {.group = "Format"}),
      under("Placement",
            list_of(row("--exclude REGEX", &o.exclude, "Keep nodes whose name matches FP32 (repeatable)"))),
      row("--scales", choice(o.scales, {{"fp16", S::Fp16}, {"fp32", S::Fp32}}),
          "Scales of the model's pairs: the 16-bit type, which raises the opset to 19, or FP32 between casts (default: "
          "fp32 where activations have UINT8 codes or a zero point, else fp16)",
          {.key_of = "--format"}),
      io_type_option(o.io), external_data_option(o.external_data), run_options(o.run),
      report_options(report, o.overwrite, {.all = "node that stays FP32"}),
      row("--overwrite", &o.overwrite, "Replace OUT and the file of --json if they exist", {.group = "Running"}),
      limit_options(true));
}

OptionList options_of(PlanModelOptions& o, ReportOptions& report) {
  return list_of(
      model_argument(o.model), target_option(o.target), placement_options(o.placement),
      activation_option(o.activation, o.dynamic), shape_option(o.shapes),
      float_type_option(o.float_type,
                        "Type of what is not quantized (default: the target's); with --data where values allow it"),
      data_options(o.data, false),
      latency_table_option(o.latency_table,
                           "Table that 'quantize --latency-table' filled: what its machines gain from such layers",
                           FileUse::Reads),
      run_options(o.run),
      report_options(report, report.overwrite,
                     {.all = "layer, edge, note and node that stays FP32, including float edges",
                      .html = "what runs in INT8, and every layer and edge with its rule and reason",
                      .overwrite = kBothReports}),
      limit_options(true));
}

OptionList options_of(LintOptions& o, ReportOptions& report) {
  return list_of(
      model_argument(o.model, "Q/DQ model of any origin"),
      row("--target", &o.target, "Engine to check for: tensorrt, tensorrt:8.6, onnxruntime, openvino:npu ..."),
      shape_option(o.shapes), data_options(o.data, false), run_options(o.run),
      report_options(report, report.overwrite,
                     {.all = "finding and float layer",
                      .html = "the findings and how to fix them, what runs in INT8, and every layer",
                      .overwrite = kBothReports}),
      row("--strict", &report.strict, "Exit 1 if there is a finding of level error"), limit_options(true));
}

OptionList options_of(ExplainOptions& o, ReportOptions& report) {
  return list_of(
      row("LAYERS", &o.layers,
          "Layers of an engine: JSON of trtexec --exportLayerInfo, dumps of the inspector, a log; or the profile of "
          "ONNX Runtime",
          {.file = FileUse::Reads, .required = true}),
      row("--profile FILE", &o.profile, "Times of the layers: JSON of trtexec --exportProfile; shares are then of time",
          {.file = FileUse::Reads}),
      row("--model MODEL", &o.model,
          "ONNX file of the engine, of ONNX Runtime the optimized one: each weighted layer is predicted INT8 or float",
          {.file = FileUse::ReadsModel}),
      row("--against LAYERS", &o.against, "Layers of another engine of the network: lists those that differ",
          {.file = FileUse::Reads}),
      report_options(report, report.overwrite,
                     {.all = "layer and cause",
                      .html = "a bar for each layer, and each reformat and quantizer with its cause and cure",
                      .overwrite = kBothReports}),
      limit_options(true));
}

OptionList options_of(RepairOptions& o, ReportOptions& report) {
  return list_of(model_argument(o.model, "Q/DQ model of any origin"),
                 output_option(o.output, "OUT.onnx", "Repaired model to write"), target_option(o.target),
                 data_options(o.data, false), evaluation_options(o.evaluation, o.data, false), judging_options(o.run),
                 external_data_option(o.external_data), run_options(o.run),
                 report_options(report, o.overwrite,
                                {.all = "pair and finding",
                                 .html = "every pair with what became of it, the graph before and after, the error",
                                 .overwrite = "OUT and the files of --json and --html if they exist"}),
                 limit_options(true));
}

OptionList options_of(CompareOptions& o, ReportOptions& report) {
  return list_of(
      model_argument(o.model), data_options(o.data, true), evaluation_options(o.evaluation, o.data, true),
      judging_options(o.run),
      row("--calibrators LIST", &o.calibrators,
          "Candidates, comma separated: " + join(calibrator_list(), ", ", &CalibratorEntry::name) +
              "; auto is judged by the candidate that 'quantize --calibrator auto' would take",
          {.group = "Calibration", .commas = true, .check = check_calibrator}),
      outliers_option(o.outliers), override_option(o.override_file), target_option(o.target), targets_option(o),
      placement_options(o.placement), format_options(o.format, CpuOption::NotOffered), equalize_option(o.equalize),
      bias_correction_option(o.equalize), latency_options(o.latency, LatencyUse::Compares), run_options(o.run),
      time_limit_option(o.run), products_option(o.run),
      report_options(report, o.overwrite_draw,
                     {.all = "output, equalized value and layer",
                      .html = "the candidates' scores, and every value with its ranges, with charts",
                      .overwrite = "the files of --json, --html and --draw if they exist"}),
      [&o, &report] { report.overwrite = o.overwrite_draw, o.pictures = !report.html.empty(); },
      draw_option(o.draw, "of the 16 with the largest error; FP32's are blue, the winner's orange"),
      row("--layers N", &o.layer_samples,
          "Also measure each layer with the winner, on the first N evaluation samples, like 'detent "
          "sensitivity'; the page shows them",
          {.group = "Report", .least = 1}),
      fail_below_option(report), limit_options(true));
}

OptionList options_of(CompareTypesOptions& o, ReportOptions& report) {
  return list_of(
      model_argument(o.model), data_options(o.data, true), evaluation_options(o.evaluation, o.data, true),
      judging_options(o.run), type_choice_options(o.types), outliers_option(o.outliers),
      override_option(o.override_file), target_option(o.target), node_options(o.placement), policy_options(o.placement),
      format_options(o.format, CpuOption::NotOffered), equalize_option(o.equalize), bias_correction_option(o.equalize),
      latency_options(o.latency, LatencyUse::Compares), run_options(o.run), time_limit_option(o.run),
      products_option(o.run),
      report_options(report, report.overwrite,
                     {.all = "output and equalized value",
                      .html = "the types' scores, sizes and shares, with charts",
                      .overwrite = kBothReports}),
      [&o, &report] { o.pictures = !report.html.empty(); }, fail_below_option(report), limit_options(true));
}

OptionList options_of(SensitivityOptions& o, ReportOptions& report) {
  return list_of(model_argument(o.model), data_options(o.data, true), eval_options(o.eval, o.data, true),
                 next_token_option(o.next_token), transcripts_options(o.transcripts, o.vocabulary),
                 judging_options(o.run), calibrator_option(o.calibrator), override_option(o.override_file),
                 outliers_option(o.outliers), target_option(o.target), placement_options(o.placement),
                 format_options(o.format, CpuOption::NotOffered), weight_only_options(o), equalize_option(o.equalize),
                 run_options(o.run), time_limit_option(o.run),
                 row("--top N", &report.top, "Number of layers and values to print; files list all, like --all",
                     {.group = "Report", .command_line_only = true, .least = 0}),
                 report_options(report, report.overwrite,
                                {.all = "layer and value",
                                 .html = "layers by their cost, and every value, with charts",
                                 .overwrite = kBothReports}),
                 limit_options(true));
}

OptionList options_of(RunOptions& o, ReportOptions& report) {
  return list_of(
      model_argument(o.model, "Float or Q/DQ ONNX model"),
      output_option(o.output_folder, "DIR", "Folder to write, with one .npy per output, or texts.csv"),
      data_options(o.data, false), run_options(o.run), products_option(o.run), isa_option(o.isa),
      report_options(report, o.overwrite, {.overwrite = "files in DIR, and those of --json and --draw"}, "Running"),
      draw_option(o.draw, "of the first 16, or --limit"), detections_option(o.run),
      row("--profile", &o.profile, "Print the time by operator and by node, and the collector's share of a calibration",
          {.group = "Running"}),
      limit_options(true));
}

OptionList options_of(VerifyOptions& o, ReportOptions& report) {
  return list_of(
      row("DIR", &o.folders, "Folders with model.onnx or *.onnx and test_data_set_*",
          {.file = FileUse::ReadsModel, .required = true, .python = "folders: Sequence[_Path]"}),
      row("--rtol", &o.rtol, "Relative tolerance", {.least = 0}),
      row("--atol", &o.atol, "Absolute tolerance, as a part of the largest expected magnitude", {.least = 0}),
      row("--threads", &o.run.threads, "Worker threads (default: all cores)", {.least = 1, .most = 4096}),
      products_option(o.run),
      report_options(report, report.overwrite, {.overwrite = "the file of --json if it exists"}), limit_options(true));
}

OptionList options_of(InspectOptions& o, ReportOptions& report) {
  return list_of(
      row("FILE", &o.file, "ONNX model or calibration table", {.file = FileUse::ReadsModel, .required = true}),
      row("--value NAME", &o.value, "Show the distribution of this value of a table"), data_options(o.data, false),
      run_options(o.run), report_options(report, report.overwrite, {.overwrite = "the file of --json if it exists"}),
      limit_options(true));
}

OptionList options_of(CacheExportOptions& o, ReportOptions& report) {
  Option calibrator = calibrator_option(o.calibrator), target = target_option(o.target);
  calibrator.traits.group = target.traits.group = "";
  calibrator.help = "Calibrator that chooses the scales, as in quantize";
  target.help = "TensorRT version that the cache is for, such as tensorrt:8.6";
  return list_of(row("TABLE", &o.table, "Calibration table", {.file = FileUse::Reads, .required = true}),
                 output_option(o.output, "F", "Cache to write"), calibrator, target,
                 row("--dla MODEL", &o.dla,
                     "Float model of the table: write a scale for every value, as DLA needs, and trtexec's arguments "
                     "in F with .dla.txt",
                     {.file = FileUse::ReadsModel}),
                 report_options(report, o.overwrite, {.overwrite = "F and the file of --json if they exist"}, ""),
                 limit_options(false));
}

OptionList options_of(CacheImportOptions& o, ReportOptions& report) {
  return list_of(row("F", &o.cache, "TensorRT calibration cache",
                     {.file = FileUse::Reads, .required = true, .python = "cache: _Path"}),
                 row("--model MODEL", &o.model, "Float ONNX model that the cache belongs to",
                     {.file = FileUse::ReadsModel, .required = true}),
                 output_option(o.output, "TABLE.dct", "Calibration table to write"),
                 report_options(report, o.overwrite, {.overwrite = "TABLE and the file of --json if they exist"}, ""),
                 limit_options(true));
}

}  // namespace detent
