#include <memory>

#include "cli/command.h"
#include "cli/option_groups.h"
#include "cli/report_options.h"
#include "detent/cast.h"
#include "report/json/json.h"
#include "report/text/text.h"

namespace detent::cli {

namespace {

struct CastState {
  CastModelOptions options;
  ReportOptions report;
  std::vector<Collect> collect;
};

int cast(CastState& state, Environment& environment) {
  for (const Collect& collect : state.collect) collect();
  state.options.run.reporter = &environment.reporter;
  state.report.overwrite = state.options.overwrite;
  state.report.check();
  const CastReport report = cast_model(state.options);
  state.report.write_json([&] { return to_json(report); });
  state.report.print(to_text(report, state.report.lists()));
  return 0;
}

}  // namespace

Action declare_cast(CLI::App& app) {
  auto state = std::make_shared<CastState>();
  CastModelOptions& options = state->options;
  app.add_option("MODEL", options.model, "Float ONNX model")->required();
  app.add_option("-o,--output", options.output, "Where the converted model goes")->required()->type_name("OUT.onnx");
  state->collect.push_back(add_data_options(app, options.data, Need::Required));
  add_choice(app, "--float-type", options.type, {{"fp16", FloatType::Fp16}, {"bf16", FloatType::Bf16}},
             "Type that the nodes compute in where the samples' values allow it", "Format");
  add_io_type_option(app, options.io);
  add_external_data_option(app, options.external_data);
  state->collect.push_back(add_run_options(app, options.run));
  add_all_option(app, state->report, "node that stays FP32");
  add_json_option(app, state->report);
  app.add_flag("--overwrite", options.overwrite, "Replace OUT.onnx and the file of --json")->group("Running");
  return [state](Environment& environment) { return cast(*state, environment); };
}

}  // namespace detent::cli
