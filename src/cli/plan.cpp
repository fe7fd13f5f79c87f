#include <cstdio>
#include <memory>

#include "cli/command.h"
#include "cli/option_groups.h"
#include "detent/plan.h"
#include "report/json/json.h"
#include "report/text/text.h"

namespace detent::cli {

namespace {

struct State {
  PlanModelOptions options;
  bool json = false, all_edges = false;
  std::vector<Collect> collect;
};

int plan(State& state) {
  for (const Collect& collect : state.collect) collect();
  const PlanReport report = plan_model(state.options);
  const ListedEdges edges = state.all_edges ? ListedEdges::All : ListedEdges::Pairs;
  std::fputs((state.json ? to_json(report) : to_text(report, edges)).c_str(), stdout);
  return 0;
}

}  // namespace

Action declare_plan(CLI::App& app) {
  auto state = std::make_shared<State>();
  app.add_option("MODEL", state->options.model, "Float ONNX model")->required();
  state->collect.push_back(add_placement_options(app, state->options.target, state->options.placement));
  state->collect.push_back(add_shape_option(app, state->options.shapes));
  app.add_flag("--all", state->all_edges, "List the edges that stay float too");
  app.add_flag("--json", state->json, "Print one JSON document");
  app.footer("src/place/RULES.md explains the rules\n\n" + app.get_footer());
  return [state](Environment&) { return plan(*state); };
}

}  // namespace detent::cli
