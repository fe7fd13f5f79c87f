#include <memory>

#include "cli/command.h"
#include "cli/option_groups.h"
#include "cli/report_options.h"
#include "detent/run.h"
#include "report/json/json.h"
#include "report/text/text.h"

namespace detent::cli {

namespace {

struct RunState {
  RunOptions options;
  ReportOptions report;
  std::vector<Collect> collect;
};

}  // namespace

Action declare_run(CLI::App& app) {
  auto state = std::make_shared<RunState>();
  app.add_option("MODEL", state->options.model, "Float or Q/DQ ONNX model")->required();
  app.add_option("-o,--output", state->options.output_folder,
                 "Folder for one .npy per output; made when it is not there")
      ->required()
      ->type_name("DIR");
  state->collect.push_back(add_data_options(app, state->options.data, Need::Required));
  state->collect.push_back(add_run_options(app, state->options.run));
  add_products_option(app, state->options.run);
  add_json_option(app, state->report, "Running");
  app.add_flag("--overwrite", state->report.overwrite, "Replace files in DIR, and that of --json")->group("Running");
  app.add_flag("--profile", state->options.profile,
               "Print where the time went: by operator, by node, and the collector's share of a calibration")
      ->group("Running");
  return [state](Environment& environment) {
    for (const Collect& collect : state->collect) collect();
    state->options.run.reporter = &environment.reporter;
    state->options.overwrite = state->report.overwrite;
    state->report.check();
    const RunReport report = run_model(state->options);
    state->report.write_json([&] { return to_json(report); });
    state->report.print(to_text(report));
    return 0;
  };
}

}  // namespace detent::cli
