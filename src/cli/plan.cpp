#include <charconv>
#include <cstdio>
#include <memory>

#include "cli/command.h"
#include "cli/option_groups.h"
#include "detent/error.h"
#include "report/json.h"
#include "report/text.h"

namespace detent::cli {

namespace {

struct State {
  PlanModelOptions options;
  std::vector<std::string> shapes;
  bool json = false, all_edges = false;
  std::vector<Collect> collect;
};

/// "image=1,3,224,224" -> entry of `shapes`.
void parse_shape(const std::string& text, std::map<std::string, std::vector<int64_t>>& shapes) {
  const Error malformed(ErrorCode::Usage, "--shape: '" + text + "' is not NAME=1,3,224,224");
  const size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0) throw malformed;
  std::vector<int64_t> extents;
  const char* next = text.data() + equals + 1;
  const char* end = text.data() + text.size();
  while (next <= end) {
    int64_t extent = 0;
    const auto [stop, error] = std::from_chars(next, end, extent);
    if (error != std::errc() || extent < 1 || (stop != end && *stop != ',')) throw malformed;
    extents.push_back(extent);
    next = stop + 1;
  }
  shapes[text.substr(0, equals)] = extents;
}

int plan(State& state) {
  for (const Collect& collect : state.collect) collect();
  for (const std::string& text : state.shapes) parse_shape(text, state.options.shapes);
  const PlanReport report = plan_model(state.options);
  std::fputs((state.json ? to_json(report) : to_text(report, state.all_edges)).c_str(), stdout);
  return 0;
}

}  // namespace

Action declare_plan(CLI::App& app) {
  auto state = std::make_shared<State>();
  app.add_option("MODEL", state->options.model, "Float ONNX model")->required();
  state->collect.push_back(add_placement_options(app, state->options.target, state->options.placement));
  app.add_option("--shape", state->shapes, "Sizes of an input that the model leaves open, for MACs and bytes")
      ->type_name("NAME=1,3,224,224")
      ->allow_extra_args(false);
  app.add_flag("--all", state->all_edges, "List the edges that stay float too");
  app.add_flag("--json", state->json, "Print one JSON document");
  return [state](Environment&) { return plan(*state); };
}

}  // namespace detent::cli
