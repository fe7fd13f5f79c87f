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

/// Help of a command's reports; null: the command does not have the option.
struct ReportHelp {
  const char *all = nullptr, *html = nullptr, *overwrite = nullptr;
  bool file = false;  ///< --report
};

/// Options of the files that a command writes beside its output. --overwrite is Python's too where it is the output's.
OptionList report_options(ReportOptions& report, bool& overwrite, const ReportHelp& help,
                          const char* group = "Report") {
  const auto take_json = [&report](const std::string& value) {  // "true" and "false" stand in configuration files
    report.json = value == "true" ? "-" : value == "false" ? "" : value;
  };
  OptionList list;
  if (help.all)
    append(list, row("--all", &report.all,
                     std::string("List every ") + help.all + "; without it lines that say the same are one"));
  append(list, row("--json [FILE|-]", Parsed{take_json},
                   "Write the report as one JSON document to FILE; alone or with - to standard output, instead of the "
                   "text",
                   {.file = FileUse::WritesReport}));
  if (help.file)
    append(list, row("--report FILE.json", &report.file, "The same document, to a file besides the text",
                     {.file = FileUse::WritesReport}));
  if (help.html)
    append(list, row("--html FILE.html", &report.html, std::string("Write the report as one HTML page: ") + help.html,
                     {.file = FileUse::WritesReport}));
  for (Option& option : list.options) option.traits.command_line_only = true;
  if (help.overwrite)
    append(list, row("--overwrite", &overwrite, std::string("Replace ") + help.overwrite,
                     {.command_line_only = &overwrite == &report.overwrite}));
  return under(group, std::move(list));
}

constexpr const char* kBothReports = "the file of --json and of --html if it exists";
constexpr const char* kEveryFile = "OUT and every other file that is written if it exists";

Option accept_broken_option(ReportOptions& report) {
  return row("--accept-broken", &report.accept_broken,
             "Exit 0 even where the verdict on the written model is 'broken' (else 1)",
             {.group = "Evaluation", .command_line_only = true});
}

/// --stop-after, which leaves no report.
OptionList stop_after_option(StopAfter& stage, ReportOptions& report) {
  using S = StopAfter;
  Option option =
      row("--stop-after",
          choice(stage, {{name_of(S::Plan), S::Plan},
                         {name_of(S::Prepare), S::Prepare},
                         {name_of(S::Ranges), S::Ranges},
                         {name_of(S::Rewrite), S::Rewrite}}),
          "End at a stage and write what is there to OUT, to find the step that spoils a file. prepare: the float "
          "model that is quantized; plan: the document of 'detent plan --json'; ranges: the range of each value, which "
          "--override reads; rewrite: the quantized model, not checked and not measured",
          {.group = "Running", .command_line_only = true});
  return list_of(option, [&stage, &report] {
    if (stage == S::Nothing || (report.json.empty() && report.html.empty() && report.file.empty())) return;
    throw Error(ErrorCode::Usage, "--stop-after does not go with --json, --report and --html",
                "it writes what is there at that stage to OUT, and there is no report yet");
  });
}

/// --fail-below of the commands that compare.
Option fail_below_option(ReportOptions& report) {
  return row("--fail-below X", &report.fail_below,
             "Exit 1 when the winner's score is below X: top-1 and mean IoU as fractions (0.78), SQNR in dB; with "
             "--next-token when its cross entropy is above X nats",
             {.group = "Report", .command_line_only = true, .least = -1e9, .most = 1e9});
}

/// The options of sensitivity that concern activations; none applies to weights alone.
OptionList activation_options(SensitivityOptions& o) {
  return list_of(calibrator_option(o.calibrator), override_option(o.override_file), outliers_option(o.outliers),
                 type_option(o.placement.type), policy_options(o.placement),
                 format_options(o.format, CpuOption::NotOffered), equalize_option(o.equalize));
}

/// --weight-only and --block of sensitivity.
OptionList weight_only_options(SensitivityOptions& o) {
  const auto codes = std::make_shared<std::string>();
  const auto block = std::make_shared<int64_t>(WeightFormat{}.block);
  const auto settle = [&o, codes, block] {
    if (codes->empty() && *block != WeightFormat{}.block)
      throw Error(ErrorCode::Usage, "--block is for --weight-only", "add --weight-only int4");
    if (codes->empty()) return;
    o.weights = WeightFormat{*codes == name_of(WeightCodes::Int4) ? WeightCodes::Int4 : WeightCodes::Int8, *block};
    SensitivityOptions usual;
    for (const auto& [name, value] : changed(activation_options(o), activation_options(usual)))
      throw Error(ErrorCode::Usage, "--" + name + " does not apply to --weight-only", "leave one of the two away");
  };
  return list_of(row("--weight-only", choice(*codes, {{"int4", "int4"}, {"int8", "int8"}}),
                     "Quantize the weights of MatMul and Gemm alone, in blocks; activations stay float. Codes are "
                     "chosen by what layers read (GPTQ)",
                     {.group = "Format"}),
                 block_option(*block), settle);
}

OptionList type_choice_options(TypeChoice& types) {
  Option calibrator = calibrator_option(types.calibrator);
  calibrator.help = "The one calibrator of int8 and fp8";
  return list_of(
      row("--types LIST", &types.names,
          "Types to put side by side, comma separated: int8, fp8, int4 (weights alone, in blocks, codes by what layers "
          "read)",
          {.group = "Format", .required = true, .commas = true}),
      block_option(types.block), calibrator,
      row("--max-drop X", &types.max_drop,
          "Find the smallest type whose score drops by at most X, as a fraction (0.01 is one point, and the default); "
          "with --next-token whose cross entropy rises by at most X nats a token. Exits 1 if there is none",
          {.group = "Evaluation", .least = 0, .most = 1e9}),
      row("--min-sqnr DB", &types.min_sqnr_db,
          "Find the smallest type whose outputs have this SQNR in dB. Exits 1 if there is none",
          {.group = "Evaluation", .least = -1000, .most = 1000}),
      [&types] {
        const bool has_blocks = std::ranges::find(types.names, "int4") != types.names.end();
        if (!has_blocks && types.block != TypeChoice{}.block)
          throw Error(ErrorCode::Usage, "--block is for int4, which --types does not name", "leave --block away");
      });
}

}  // namespace

OptionList options_of(QuantizeOptions& o, ReportOptions& report) {
  using A = Accuracy;
  Option calibrator = calibrator_option(o.calibrator);
  calibrator.traits.default_text = "auto; with --table alone " + std::string(kSafeCalibrator);
  return list_of(
      model_argument(o.model), output_option(o.output, "OUT.onnx", "Where the quantized model goes"),
      data_options(o.data, false),
      row("--table TABLE.dct", &o.table,
          "Take ranges from this calibration table; --data is then needed only to measure the error",
          {.group = "Calibration", .file = FileUse::Reads}),
      calibrator, override_option(o.override_file),
      row("--accuracy",
          choice(o.accuracy,
                 {{name_of(A::Balanced), A::Balanced}, {name_of(A::Best), A::Best}, {name_of(A::Fast), A::Fast}}),
          "fast: one calibrator; balanced: the calibrator is measured, and weights of FP8 are rounded by what they do "
          "to the outputs; best: that, equalization, ranges value by value, weights of INT8 too and bias correction, "
          "each kept only where it pays; takes minutes",
          {.group = "Calibration"}),
      outliers_option(o.outliers), target_option(o.target), placement_options(o.placement),
      format_options(o.format, CpuOption::Offered), external_data_option(o.external_data), equalize_option(o.equalize),
      bias_correction_option(o.equalize), bound_options(o.bound, o.data), accept_broken_option(report),
      run_options(o.run), stop_after_option(o.stop_after, report),
      report_options(report, o.overwrite,
                     {.all = "float layer, note and equalized value",
                      .html = "the verdict and what it rests on, unlike samples, every value",
                      .overwrite = kEveryFile,
                      .file = true}),
      limit_options(true));
}

OptionList options_of(QuantizeWeightsOptions& o, ReportOptions& report) {
  using W = WeightCodes;
  return list_of(model_argument(o.model), output_option(o.output, "OUT.onnx", "Where the quantized model goes"),
                 row("--type", choice(o.format.codes, {{name_of(W::Int4), W::Int4}, {name_of(W::Int8), W::Int8}}),
                     "Type of the weights of MatMul and Gemm. Embedding tables, positions and masks become INT8 (not "
                     "with --exclude-op Gather, Add)",
                     {.group = "Format"}),
                 block_option(o.format.block), external_data_option(o.external_data), data_options(o.data, false),
                 target_option(o.target), node_options(o.placement), bound_options(o.bound, o.data),
                 accept_broken_option(report), run_options(o.run),
                 report_options(report, o.overwrite,
                                {.all = "float layer and note",
                                 .html = "the verdict and what it rests on, and every weight",
                                 .overwrite = kEveryFile,
                                 .file = true}),
                 limit_options(true));
}

OptionList options_of(CalibrateOptions& o, ReportOptions& report) {
  const auto take_targets = [&o](const std::string& text) {
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find(',', at), text.size());
      o.targets.push_back(text.substr(at, end - at));
      at = end + 1;
    }
  };
  return list_of(
      model_argument(o.model), output_option(o.output, "TABLE.dct", "Where the calibration table goes"),
      data_options(o.data, true),
      row("--target NAME[:VERSION][,...]", Parsed{take_targets},
          "Measure only what these targets quantize with the policies below (default: every value that any target "
          "could, so that one table serves all)",
          {.group = "Placement", .python = "targets: Sequence[str]"}),
      placement_options(o.placement),
      float_type_option(o.float_type,
                        "fp16 or bf16: measure too what all float values reach, which quantize --table "
                        "with a 16-bit float type needs (default: the targets')"),
      equalize_option(o.equalize), run_options(o.run),
      row("--resume", &o.resume,
          "Go on with TABLE.partial, which an interrupted calibration leaves; without one begin at the first sample. "
          "Keep a TABLE that is complete",
          {.group = "Running"}),
      row("--checkpoint SECONDS", &o.checkpoint_seconds,
          "Write TABLE.partial every so many seconds, for a process that is killed; 0: never",
          {.group = "Running", .least = 0, .most = 1e6}),
      row("--isa", choice(o.isa, {{"avx2", "avx2"}, {"avx512", "avx512"}, {"native", "native"}}),
          "Instruction set of the kernels: avx2 or avx512 give the same bits on every CPU that has it",
          {.group = "Running"}),
      report_options(report, o.overwrite, {.overwrite = "TABLE, and the file of --json, if it exists"}, "Running"),
      limit_options(true));
}

OptionList options_of(MergeTablesOptions& o, ReportOptions& report) {
  return list_of(
      row("TABLE", &o.tables, "Calibration tables of one model, TABLE.partial of interrupted ones too",
          {.file = FileUse::Reads, .required = true, .python = "tables: Sequence[_Path]"}),
      output_option(o.output, "TABLE.dct", "Where their sum goes"),
      row("--mixed-isa", &o.mixed_isa,
          "Accept tables from CPUs with different instruction sets, whose results differ in the last bits"),
      row("--partial", &o.partial, "Accept that shards are missing or were interrupted; else exit 1"),
      row("--resume", &o.resume, "Keep an output that holds this very sum already"),
      report_options(report, o.overwrite, {.overwrite = "the output, and the file of --json, if it exists"}, ""),
      limit_options(false));
}

OptionList options_of(CastModelOptions& o, ReportOptions& report) {
  using F = FloatType;
  return list_of(model_argument(o.model), output_option(o.output, "OUT.onnx", "Where the converted model goes"),
                 data_options(o.data, true),
                 row("--float-type", choice(o.type, {{name_of(F::Bf16), F::Bf16}, {name_of(F::Fp16), F::Fp16}}),
                     "Type that the nodes compute in where the samples' values allow it", {.group = "Format"}),
                 io_type_option(o.io), external_data_option(o.external_data), run_options(o.run),
                 report_options(report, o.overwrite, {.all = "node that stays FP32"}),
                 row("--overwrite", &o.overwrite, "Replace OUT.onnx and the file of --json", {.group = "Running"}),
                 limit_options(true));
}

OptionList options_of(PlanModelOptions& o, ReportOptions& report) {
  return list_of(
      model_argument(o.model), target_option(o.target), placement_options(o.placement),
      activation_option(o.uint8_activations), shape_option(o.shapes),
      float_type_option(o.float_type,
                        "Type of what is not quantized (default: the target's); --data tells where values allow it"),
      data_options(o.data, false), run_options(o.run),
      report_options(report, report.overwrite,
                     {.all = "layer, edge, note and node that stays FP32, edges that stay float too",
                      .html = "what runs in INT8, and every layer and edge with its rule and reason",
                      .overwrite = kBothReports}),
      limit_options(true));
}

OptionList options_of(LintOptions& o, ReportOptions& report) {
  return list_of(
      model_argument(o.model, "Q/DQ model of any origin"),
      row("--target", &o.target, "tensorrt, tensorrt:8.6, onnxruntime ..."), shape_option(o.shapes),
      data_options(o.data, false), run_options(o.run),
      report_options(report, report.overwrite,
                     {.all = "finding and float layer",
                      .html = "the findings with their cures, what runs in INT8, and every layer",
                      .overwrite = kBothReports}),
      row("--strict", &report.strict, "Exit 1 when there is a finding of level error", {.command_line_only = true}),
      limit_options(true));
}

OptionList options_of(CompareOptions& o, ReportOptions& report) {
  return list_of(model_argument(o.model), data_options(o.data, true), evaluation_options(o.evaluation, o.data, true),
                 row("--calibrators LIST", &o.calibrators,
                     "Candidates, comma separated: " + join(calibrator_list(), ", ", &CalibratorEntry::name) +
                         "; auto is what 'quantize --calibrator auto' would take, judged like the others",
                     {.group = "Calibration", .commas = true, .check = check_calibrator}),
                 outliers_option(o.outliers), override_option(o.override_file), target_option(o.target),
                 placement_options(o.placement), format_options(o.format, CpuOption::NotOffered),
                 equalize_option(o.equalize), bias_correction_option(o.equalize), run_options(o.run),
                 products_option(o.run),
                 report_options(report, report.overwrite,
                                {.all = "output, equalized value and layer",
                                 .html = "the candidates' scores, and every value with its ranges, with charts",
                                 .overwrite = kBothReports}),
                 row("--layers N", &o.layer_samples,
                     "Also measure every layer by itself with the winner, on the first N evaluation samples, as "
                     "'detent sensitivity' does; the page shows them",
                     {.group = "Report", .least = 1}),
                 fail_below_option(report), limit_options(true));
}

OptionList options_of(CompareTypesOptions& o, ReportOptions& report) {
  return list_of(model_argument(o.model), data_options(o.data, true), evaluation_options(o.evaluation, o.data, true),
                 type_choice_options(o.types), outliers_option(o.outliers), override_option(o.override_file),
                 target_option(o.target), node_options(o.placement), policy_options(o.placement),
                 format_options(o.format, CpuOption::NotOffered), equalize_option(o.equalize),
                 bias_correction_option(o.equalize), run_options(o.run), products_option(o.run),
                 report_options(report, report.overwrite,
                                {.all = "output and equalized value",
                                 .html = "the types' scores, sizes and shares, with charts",
                                 .overwrite = kBothReports}),
                 fail_below_option(report), limit_options(true));
}

OptionList options_of(SensitivityOptions& o, ReportOptions& report) {
  return list_of(model_argument(o.model), data_options(o.data, true), eval_options(o.eval, o.data, true),
                 next_token_option(o.next_token), calibrator_option(o.calibrator), override_option(o.override_file),
                 outliers_option(o.outliers), target_option(o.target), placement_options(o.placement),
                 format_options(o.format, CpuOption::NotOffered), weight_only_options(o), equalize_option(o.equalize),
                 run_options(o.run),
                 row("--top N", &report.top, "How many layers and values to print; files hold all, --all prints all",
                     {.group = "Report", .command_line_only = true, .least = 0}),
                 report_options(report, report.overwrite,
                                {.all = "layer and value",
                                 .html = "layers by what they cost, and every value, with charts",
                                 .overwrite = kBothReports}),
                 limit_options(true));
}

OptionList options_of(RunOptions& o, ReportOptions& report) {
  return list_of(model_argument(o.model, "Float or Q/DQ ONNX model"),
                 output_option(o.output_folder, "DIR", "Folder for one .npy per output; made when it is not there"),
                 data_options(o.data, true), run_options(o.run), products_option(o.run),
                 report_options(report, o.overwrite, {.overwrite = "files in DIR, and that of --json"}, "Running"),
                 row("--profile", &o.profile,
                     "Print where the time went: by operator, by node, and the collector's share of a calibration",
                     {.group = "Running"}),
                 limit_options(true));
}

OptionList options_of(VerifyOptions& o, ReportOptions& report) {
  return list_of(row("DIR", &o.folders, "Folders with model.onnx or *.onnx and test_data_set_*",
                     {.file = FileUse::ReadsModel, .required = true, .python = "folders: Sequence[_Path]"}),
                 row("--rtol", &o.rtol, "Relative tolerance", {.least = 0}),
                 row("--atol", &o.atol, "Absolute tolerance as a part of the largest expected magnitude", {.least = 0}),
                 row("--threads", &o.run.threads, "Worker threads (default: all cores)", {.least = 1, .most = 4096}),
                 products_option(o.run),
                 report_options(report, report.overwrite, {.overwrite = "the file of --json if it exists"}),
                 limit_options(true));
}

OptionList options_of(InspectOptions& o, ReportOptions& report) {
  return list_of(
      row("FILE", &o.file, "ONNX model or calibration table", {.file = FileUse::ReadsModel, .required = true}),
      row("--value NAME", &o.value, "Show how this value of a table is distributed"),
      report_options(report, report.overwrite, {.overwrite = "the file of --json if it exists"}), limit_options(true));
}

OptionList options_of(CacheExportOptions& o, ReportOptions& report) {
  Option calibrator = calibrator_option(o.calibrator), target = target_option(o.target);
  calibrator.traits.group = target.traits.group = "";
  calibrator.help = "How scales are chosen from the histograms, as in quantize";
  target.help = "The TensorRT that the cache is for, such as tensorrt:8.6";
  return list_of(row("TABLE", &o.table, "Calibration table", {.file = FileUse::Reads, .required = true}),
                 output_option(o.output, "F", "Where the cache goes"), calibrator, target,
                 report_options(report, o.overwrite, {.overwrite = "F, and the file of --json, if it exists"}, ""),
                 limit_options(false));
}

OptionList options_of(CacheImportOptions& o, ReportOptions& report) {
  return list_of(row("F", &o.cache, "TensorRT calibration cache",
                     {.file = FileUse::Reads, .required = true, .python = "cache: _Path"}),
                 row("--model MODEL", &o.model, "The float ONNX model that it belongs to",
                     {.file = FileUse::ReadsModel, .required = true}),
                 output_option(o.output, "TABLE.dct", "Where the calibration table goes"),
                 report_options(report, o.overwrite, {.overwrite = "TABLE, and the file of --json, if it exists"}, ""),
                 limit_options(true));
}

}  // namespace detent
