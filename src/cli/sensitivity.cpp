#include <memory>

#include "cli/command.h"
#include "cli/option_groups.h"
#include "cli/report_options.h"
#include "cli/weight_only.h"
#include "detent/sensitivity.h"
#include "report/html/page.h"
#include "report/json/json.h"
#include "report/text/text.h"

namespace detent::cli {

namespace {

struct SensitivityState {
  SensitivityOptions options;
  ReportOptions report;
  size_t top = 20;
  WeightOnlyOptions weights;
  std::vector<Collect> collect;
};

int sensitivity(const CLI::App& app, SensitivityState& state, Environment& environment) {
  for (const Collect& collect : state.collect) collect();
  state.options.weights = weight_format(app, state.weights);
  state.report.check();
  state.report.command = environment.command;
  state.options.run.reporter = &environment.reporter;
  const SensitivityReport report = measure_sensitivity(state.options);
  state.report.write_json([&] { return to_json(report); });
  state.report.write_html([&] { return to_html(report, state.report.origin(state.options.model)); });
  state.report.print(to_text(report, state.top, state.report.lists()));
  return 0;
}

}  // namespace

Action declare_sensitivity(CLI::App& app) {
  auto state = std::make_shared<SensitivityState>();
  SensitivityOptions& options = state->options;
  app.add_option("MODEL", options.model, "Float ONNX model")->required();
  state->collect.push_back(add_data_options(app, options.data, Need::Required));
  state->collect.push_back(add_eval_options(app, options.eval, options.data, Need::Required));
  add_next_token_flag(app, options.next_token);
  add_calibrator_options(app, options.calibrator, options.override_file);
  add_outlier_option(app, options.outliers);
  state->collect.push_back(add_placement_options(app, options.target, options.placement));
  state->collect.push_back(add_format_options(app, options.format));
  add_weight_only_options(app, state->weights);
  state->collect.push_back(add_equalize_options(app, options.equalize, BiasCorrection::NotOffered));
  state->collect.push_back(add_run_options(app, options.run));
  app.add_option("--top", state->top, "How many layers and values to print; files hold all, --all prints all")
      ->type_name("N")
      ->check(count_from(0))
      ->capture_default_str()
      ->group("Report");
  add_all_option(app, state->report, "layer and value");
  add_json_option(app, state->report);
  add_html_option(app, state->report, "layers by what they cost, and every value, with charts");
  add_report_overwrite(app, state->report, "the file of --json and of --html");
  return [state, &app](Environment& environment) { return sensitivity(app, *state, environment); };
}

}  // namespace detent::cli
