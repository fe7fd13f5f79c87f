#include "run/own_steps.h"

#include <algorithm>
#include <vector>

#include "model/graph/file_boundary.h"
#include "run/open_samples.h"

namespace detent {

RunSettings without_states(RunSettings settings, const SampleRequest& request, const Model& model) {
  if (!request.steps || !settings.judged_outputs.empty()) return settings;
  using State = Recurrence::State;
  const std::vector<State> states = step_plan(request, model).recurrence.states;
  const Graph& graph = model.graph();
  std::vector<std::string> others;
  for (const ValueId output : graph.outputs()) {
    const std::string& name = graph.value(output).name;
    const auto is_it = [&](const State& state) { return state.way == State::Way::Same && state.output == name; };
    if (!feeds_a_file(graph, graph.value(output)) && std::ranges::none_of(states, is_it)) others.push_back(name);
  }
  if (others.size() < graph.outputs().size()) settings.judged_outputs = std::move(others);
  return settings;
}

std::unique_ptr<DataSource> own_steps(const Model& model, const SampleRequest& request, const DataSource& steps,
                                      const RunSettings& run) {
  return open_samples(request, model, {.products = run.products, .teacher = &steps});
}

std::string sample_of_step(const std::string& name) { return name.substr(0, name.rfind(" step ")); }

}  // namespace detent
