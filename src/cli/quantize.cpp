#include <memory>

#include "cli/command.h"
#include "cli/option_groups.h"
#include "cli/report_options.h"
#include "cli/weight_only.h"
#include "core/code_words.h"
#include "core/files/atomic_file.h"
#include "detent/quantize.h"
#include "report/html/page.h"
#include "report/json/json.h"
#include "report/text/text.h"

namespace detent::cli {

namespace {

struct QuantizeState {
  QuantizeOptions options;
  ReportOptions report;
  std::filesystem::path report_file;
  bool accept_broken = false;
  std::string stop_after;
  WeightOnlyOptions weights;
  std::vector<Collect> collect;
};

const std::map<std::string, StopAfter> kStages{{"prepare", StopAfter::Prepare},
                                               {"plan", StopAfter::Plan},
                                               {"ranges", StopAfter::Ranges},
                                               {"rewrite", StopAfter::Rewrite}};

/// Ends at the stage: OUT holds what is there.
int stop_at_stage(QuantizeState& state) {
  const ReportOptions& report = state.report;
  if (!report.json.empty() || !report.html.empty() || !state.report_file.empty() || !state.weights.codes.empty())
    throw Error(ErrorCode::Usage, "--stop-after does not go with --json, --report, --html and --weight-only",
                "it writes what is there at that stage to OUT, and there is no report yet");
  state.options.stop_after = kStages.at(state.stop_after);
  const QuantizeReport stopped = quantize_model(state.options);
  if (state.options.stop_after == StopAfter::Plan)
    write_file(state.options.output, to_json(stopped.plan), report.overwrite);
  report.print("stopped after " + state.stop_after + ": wrote " + stopped.output + "\n");
  return 0;
}

int quantize(const CLI::App& app, QuantizeState& state, Environment& environment) {
  for (const Collect& collect : state.collect) collect();
  state.options.overwrite = state.report.overwrite;
  if (state.report_file == "-") state.report.json = "-", state.report_file.clear();
  state.report.check();
  state.report.command = environment.command;
  if (!state.report_file.empty()) check_writable(state.report_file, state.report.overwrite);
  state.options.run.reporter = &environment.reporter;
  if (!state.stop_after.empty()) return stop_at_stage(state);
  if (const auto format = weight_format(app, state.weights))
    return quantize_weights_only(*format, state.options, state.report, state.report_file, state.accept_broken);
  const QuantizeReport report = quantize_model(state.options);
  if (!state.report_file.empty()) write_file(state.report_file, to_json(report), state.report.overwrite);
  state.report.write_json([&] { return to_json(report); });
  state.report.write_html([&] { return to_html(report, state.report.origin(state.options.model)); });
  state.report.print(to_text(report, state.report.lists()));
  if (report.bound && !report.bound->met)
    throw Error(ErrorCode::CheckFailed,
                report.model + ": " + in_words_of(report.plan.coverage.type, unmet_text(*report.bound)),
                "another --calibrator (auto measures them), or a wider bound");
  if (report.verdict.quality == Quality::Broken && !state.accept_broken)
    throw Error(ErrorCode::CheckFailed,
                report.model + ": the quantized model was written, but it is broken: " + report.verdict.reasons.front(),
                "the warning names options to try; --accept-broken exits 0");
  return 0;
}

/// --max-drop and --min-sqnr, and what they are measured on.
Collect add_bound_options(CLI::App& app, AccuracyBound& bound, const DataOptions& data) {
  app.add_option("--max-drop", bound.max_drop,
                 "Keep layers float until the score drops by X at most, as a fraction: 0.01 is one point; with "
                 "--next-token until the cross entropy rises by X nats a token at most. Needs --eval and --labels, "
                 "--masks, --next-token or --metric-command. Not reachable: writes the best and exits 1")
      ->type_name("X")
      ->check(number_from(0, 1e9))
      ->group("Evaluation");
  app.add_option("--min-sqnr", bound.min_sqnr_db,
                 "Keep layers float until the outputs have this SQNR in dB on --eval (without it: on --data)")
      ->type_name("DB")
      ->check(number_from(-1000, 1000))
      ->group("Evaluation");
  const Collect collect = add_evaluation_options(app, bound.evaluation, data, Need::Optional);
  return [collect, &bound] {
    collect();
    const EvaluationOptions& given = bound.evaluation;
    const bool judged =
        !given.labels.empty() || !given.masks.empty() || !given.metric_command.empty() || given.next_token;
    if (!bound.given() && judged)
      throw Error(ErrorCode::Usage,
                  "--labels, --masks, --next-token and --metric-command are for --max-drop and --min-sqnr",
                  "'detent compare' judges without a bound");
  };
}

}  // namespace

Action declare_quantize(CLI::App& app) {
  auto state = std::make_shared<QuantizeState>();
  QuantizeOptions& options = state->options;
  app.add_option("MODEL", options.model, "Float ONNX model")->required();
  app.add_option("-o,--output", options.output, "Where the quantized model goes")->required()->type_name("OUT.onnx");
  state->collect.push_back(add_data_options(app, options.data, Need::Optional));
  app.add_option("--table", options.table,
                 "Take ranges from this calibration table; --data is then needed only to measure the error")
      ->type_name("TABLE.dct")
      ->group("Calibration");
  add_calibrator_options(app, options.calibrator, options.override_file);
  app.get_option("--calibrator")->default_str("auto; with --table alone " + std::string(kSafeCalibrator));
  add_choice(
      app, "--accuracy", options.accuracy,
      {{"fast", Accuracy::Fast}, {"balanced", Accuracy::Balanced}, {"best", Accuracy::Best}},
      "fast: one calibrator; balanced: the calibrator is measured, and weights of FP8 are rounded by what they do "
      "to the outputs; best: that, equalization, ranges value by value, weights of INT8 too and bias "
      "correction, each kept only where it pays; takes minutes",
      "Calibration");
  add_outlier_option(app, options.outliers);
  state->collect.push_back(add_placement_options(app, options.target, options.placement));
  state->collect.push_back(add_format_options(app, options.format));
  state->collect.push_back(add_cpu_option(app, options.format.cpu));
  add_weight_only_options(app, state->weights);
  add_external_data_option(app, options.external_data);
  state->collect.push_back(add_equalize_options(app, options.equalize, BiasCorrection::Offered));
  state->collect.push_back(add_bound_options(app, options.bound, options.data));
  app.add_flag("--accept-broken", state->accept_broken,
               "Exit 0 even where the verdict on the written model is 'broken' (else 1)")
      ->group("Evaluation");
  state->collect.push_back(add_run_options(app, options.run));
  std::vector<std::string> stages;
  for (const auto& [stage, ignored] : kStages) stages.push_back(stage);
  app.add_option("--stop-after", state->stop_after,
                 "End at a stage and write what is there to OUT, to find the step that spoils a file. prepare: the "
                 "float model that is quantized; plan: the document of 'detent plan --json'; ranges: the range of each "
                 "value, which --override reads; rewrite: the quantized model, not checked and not measured")
      ->type_name("prepare|plan|ranges|rewrite")
      ->check(CLI::IsMember(stages))
      ->group("Running");
  add_all_option(app, state->report, "float layer, note and equalized value");
  add_json_option(app, state->report);
  app.add_option("--report", state->report_file, "The same document, to a file besides the text")
      ->type_name("FILE.json")
      ->group("Report");
  add_html_option(app, state->report, "the verdict and what it rests on, unlike samples, every value");
  add_report_overwrite(app, state->report, "OUT and every other file that is written");
  return [state, &app](Environment& environment) { return quantize(app, *state, environment); };
}

}  // namespace detent::cli
