#include <cstdio>
#include <memory>

#include "cli/command.h"
#include "cli/option_groups.h"
#include "core/atomic_file.h"
#include "detent/sensitivity.h"
#include "report/html/page.h"
#include "report/json/json.h"
#include "report/text/text.h"

namespace detent::cli {

namespace {

struct State {
  SensitivityOptions options;
  std::filesystem::path json_file, html_file;
  bool overwrite = false;
  size_t top = 20;
  std::vector<Collect> collect;
};

int sensitivity(State& state, Environment& environment) {
  for (const Collect& collect : state.collect) collect();
  for (const std::filesystem::path& file : {state.json_file, state.html_file})
    if (!file.empty()) check_writable(file, state.overwrite);
  state.options.run.reporter = &environment.reporter;
  const SensitivityReport report = measure_sensitivity(state.options);
  if (!state.json_file.empty()) write_file(state.json_file, to_json(report), state.overwrite);
  if (!state.html_file.empty()) write_file(state.html_file, to_html(report), state.overwrite);
  std::fputs(to_text(report, state.top).c_str(), stdout);
  return 0;
}

}  // namespace

Action declare_sensitivity(CLI::App& app) {
  auto state = std::make_shared<State>();
  SensitivityOptions& options = state->options;
  app.add_option("MODEL", options.model, "Float ONNX model")->required();
  state->collect.push_back(add_data_options(app, options.data, Need::Required));
  state->collect.push_back(add_eval_options(app, options.eval, options.data, Need::Required));
  add_calibrator_options(app, options.calibrator, options.override_file);
  add_outlier_option(app, options.outliers);
  state->collect.push_back(add_placement_options(app, options.target, options.placement));
  state->collect.push_back(add_format_options(app, options.format));
  state->collect.push_back(add_equalize_options(app, options.equalize, BiasCorrection::NotOffered));
  state->collect.push_back(add_run_options(app, options.run));
  app.add_option("--top", state->top, "How many layers and values to print; files hold all")
      ->type_name("N")
      ->capture_default_str()
      ->group("Report");
  app.add_option("--json", state->json_file, "Write the report as JSON")->type_name("FILE.json")->group("Report");
  app.add_option("--html", state->html_file, "Write the report as one HTML page with charts")
      ->type_name("FILE.html")
      ->group("Report");
  app.add_flag("--overwrite", state->overwrite, "Replace the files of --json and --html if they exist")
      ->group("Report");
  return [state](Environment& environment) { return sensitivity(*state, environment); };
}

}  // namespace detent::cli
