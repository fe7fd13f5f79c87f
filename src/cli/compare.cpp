#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "cli/command.h"
#include "cli/option_groups.h"
#include "cli/report_options.h"
#include "core/atomic_file.h"
#include "detent/compare.h"
#include "detent/sensitivity.h"
#include "report/html/page.h"
#include "report/json/json.h"
#include "report/text/text.h"

namespace detent::cli {

namespace {

struct State {
  CompareOptions options;
  ReportOptions report;
  std::optional<double> fail_below;
  std::vector<Collect> collect;
};

constexpr size_t kPrintedLayers = 10;  // a page holds all

/// Errors  CheckFailed when the winner's score is below the bound.
void check_bound(const ComparisonReport& report, double bound) {
  for (const auto& variant : report.variants) {
    if (variant.calibrator != report.winner) continue;
    const double score = variant.metrics.at(report.criterion);
    const bool falls = falls_when_better(report.criterion);
    if (falls ? score <= bound : score >= bound) return;
    throw Error(ErrorCode::CheckFailed,
                fmt::format("{}: the best calibrator, {}, reaches {} of {:.6g}, {} --fail-below {:.6g}", report.model,
                            report.winner, report.criterion, score, falls ? "worse than" : "below", bound));
  }
}

int compare(State& state, Environment& environment) {
  for (const Collect& collect : state.collect) collect();
  state.report.check();
  state.options.run.reporter = &environment.reporter;
  state.options.judged = [&](const ComparisonReport& report) {  // interrupted from here on, this stays
    state.report.write_json([&] { return to_json(report); });
    state.report.write_html([&] { return to_html(report, std::nullopt); });
    state.report.print(to_text(report, state.report.lists()));
    std::fflush(stdout);
  };
  const ComparisonReport report = compare_calibrators(state.options);
  if (report.layers) {
    state.report.print("\n" + to_text(*report.layers, kPrintedLayers, state.report.lists()));
    if (!state.report.html.empty()) write_file(state.report.html, to_html(report, report.layers));
  }
  if (state.fail_below) check_bound(report, *state.fail_below);
  return 0;
}

}  // namespace

Action declare_compare(CLI::App& app) {
  auto state = std::make_shared<State>();
  CompareOptions& options = state->options;
  app.add_option("MODEL", options.model, "Float ONNX model")->required();
  state->collect.push_back(add_data_options(app, options.data, Need::Required));
  state->collect.push_back(add_evaluation_options(app, options.evaluation, options.data, Need::Required));
  app.add_option("--calibrators", options.calibrators,
                 "Candidates, comma separated: max, percentile[:P], entropy, mse; auto is what 'quantize --calibrator "
                 "auto' would take, judged like the others")
      ->type_name("LIST")
      ->delimiter(',')
      ->check(known_calibrator("--calibrators"))
      ->capture_default_str()
      ->group("Calibration");
  add_outlier_option(app, options.outliers);
  app.add_option("--override", options.override_file, "Calibrator or range of single values, JSON")
      ->type_name("FILE.json")
      ->group("Calibration");
  state->collect.push_back(add_placement_options(app, options.target, options.placement));
  state->collect.push_back(add_format_options(app, options.format));
  state->collect.push_back(add_equalize_options(app, options.equalize, BiasCorrection::Offered));
  state->collect.push_back(add_run_options(app, options.run));
  add_all_option(app, state->report, "output, equalized value and layer");
  add_json_option(app, state->report);
  add_html_option(app, state->report, "the candidates' scores, and every value with its ranges, with charts");
  add_report_overwrite(app, state->report, "the file of --json and of --html");
  app.add_option("--layers", options.layer_samples,
                 "Also measure every layer by itself with the winner, on the first N evaluation samples, as 'detent "
                 "sensitivity' does; the page shows them")
      ->type_name("N")
      ->check(count_from(1))
      ->group("Report");
  app.add_option("--fail-below", state->fail_below,
                 "Exit 1 when the winner's score is below X: top-1 and mean IoU as fractions (0.78), SQNR in dB; with "
                 "--next-token when its cross entropy is above X nats")
      ->type_name("X")
      ->group("Report");
  return [state](Environment& environment) { return compare(*state, environment); };
}

}  // namespace detent::cli
