#include <memory>

#include "cli/command.h"
#include "cli/option_groups.h"
#include "cli/report_options.h"
#include "detent/plan.h"
#include "report/html/page.h"
#include "report/json/json.h"
#include "report/text/text.h"

namespace detent::cli {

namespace {

struct PlanState {
  PlanModelOptions options;
  ReportOptions report;
  std::vector<Collect> collect;
};

int plan(PlanState& state, Environment& environment) {
  for (const Collect& collect : state.collect) collect();
  state.options.run.reporter = &environment.reporter;
  state.report.check();
  state.report.command = environment.command;
  const PlanReport report = plan_model(state.options);
  state.report.write_json([&] { return to_json(report); });
  state.report.write_html([&] { return to_html(report, state.report.origin(state.options.model)); });
  state.report.print(to_text(report, state.report.lists()));
  return 0;
}

}  // namespace

Action declare_plan(CLI::App& app) {
  auto state = std::make_shared<PlanState>();
  app.add_option("MODEL", state->options.model, "Float ONNX model")->required();
  state->collect.push_back(add_placement_options(app, state->options.target, state->options.placement));
  state->collect.push_back(add_activation_option(app, state->options.uint8_activations));
  state->collect.push_back(add_shape_option(app, state->options.shapes));
  state->collect.push_back(add_float_type_option(
      app, state->options.float_type,
      "Type of what is not quantized (default: the target's); --data tells where values allow it"));
  state->collect.push_back(add_data_options(app, state->options.data, Need::Optional));
  state->collect.push_back(add_run_options(app, state->options.run));
  add_all_option(app, state->report, "layer, edge, note and node that stays FP32, edges that stay float too");
  add_json_option(app, state->report);
  add_html_option(app, state->report, "what runs in INT8, and every layer and edge with its rule and reason");
  add_report_overwrite(app, state->report, "the file of --json and of --html");
  app.footer("src/place/RULES.md explains the rules\n\n" + app.get_footer());
  return [state](Environment& environment) { return plan(*state, environment); };
}

}  // namespace detent::cli
