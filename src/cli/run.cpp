#include <cstdio>
#include <memory>

#include "cli/command.h"
#include "cli/option_groups.h"
#include "detent/run.h"
#include "report/text/text.h"

namespace detent::cli {

namespace {

struct State {
  RunOptions options;
  std::vector<Collect> collect;
};

}  // namespace

Action declare_run(CLI::App& app) {
  auto state = std::make_shared<State>();
  app.add_option("MODEL", state->options.model, "Float or Q/DQ ONNX model")->required();
  app.add_option("-o,--output", state->options.output_folder,
                 "Folder for one .npy per output; made when it is not there")
      ->required()
      ->type_name("DIR");
  state->collect.push_back(add_data_options(app, state->options.data, Need::Required));
  state->collect.push_back(add_run_options(app, state->options.run));
  app.add_flag("--overwrite", state->options.overwrite, "Replace files in DIR")->group("Running");
  app.add_flag("--profile", state->options.profile,
               "Print where the time went: by operator, by node, and the collector's share of a calibration")
      ->group("Running");
  return [state](Environment& environment) {
    for (const Collect& collect : state->collect) collect();
    state->options.run.reporter = &environment.reporter;
    std::fputs(to_text(run_model(state->options)).c_str(), stdout);
    return 0;
  };
}

}  // namespace detent::cli
