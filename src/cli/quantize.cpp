#include <cstdio>
#include <memory>

#include "cli/command.h"
#include "cli/option_groups.h"
#include "core/atomic_file.h"
#include "detent/calibrator.h"
#include "report/json.h"
#include "report/text.h"

namespace detent::cli {

namespace {

struct State {
  QuantizeOptions options;
  std::filesystem::path report_file;
  std::vector<Collect> collect;
};

int quantize(State& state, Environment& environment) {
  for (const Collect& collect : state.collect) collect();
  if (!state.report_file.empty()) check_writable(state.report_file, true);
  state.options.run.reporter = &environment.reporter;
  const QuantizeReport report = quantize_model(state.options);
  if (!state.report_file.empty()) write_file(state.report_file, to_json(report));
  std::fputs(to_text(report).c_str(), stdout);
  return 0;
}

}  // namespace

Action declare_quantize(CLI::App& app) {
  auto state = std::make_shared<State>();
  QuantizeOptions& options = state->options;
  app.add_option("MODEL", options.model, "Float ONNX model")->required();
  app.add_option("-o,--output", options.output, "Where the quantized model goes")->required()->type_name("OUT.onnx");
  state->collect.push_back(add_data_options(app, options.data, false));
  std::string calibrators;
  for (const CalibratorEntry& entry : calibrator_list())
    calibrators += "\n  " + std::string(entry.name) + ": " + std::string(entry.summary);
  app.add_option("--table", options.table,
                 "Take ranges from this calibration table; --data is then needed only to measure the error")
      ->type_name("TABLE.dct")
      ->group("Calibration");
  calibrators += "\n  auto: measures them at the outputs of the quantized model and takes the best";
  app.add_option("--calibrator", options.calibrator, "How ranges are chosen from the histograms:" + calibrators)
      ->type_name("NAME[:ARG]")
      ->capture_default_str()
      ->group("Calibration");
  app.add_option("--override", options.override_file, "Calibrator or range of single values, JSON")
      ->type_name("FILE.json")
      ->group("Calibration");
  state->collect.push_back(add_placement_options(app, options.target, options.placement));
  state->collect.push_back(add_format_options(app, options.format));
  state->collect.push_back(add_equalize_options(app, options.equalize, true));
  state->collect.push_back(add_run_options(app, options.run));
  app.add_option("--report", state->report_file, "Write the report as JSON")->type_name("FILE.json")->group("Running");
  app.add_flag("--overwrite", options.overwrite, "Replace OUT if it exists")->group("Running");
  return [state](Environment& environment) { return quantize(*state, environment); };
}

}  // namespace detent::cli
