#include "evaluate/first_nan.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/float_type.h"
#include "exec/executor.h"
#include "exec/runnable_part.h"
#include "exec/schedule.h"
#include "run/model_inputs.h"
#include "run/sample_subset.h"

namespace detent {

namespace {

class NanObserver final : public Observer {
 public:
  explicit NanObserver(const Graph& graph) : found_(graph.values().size(), false) {}
  void observe(ValueId value, const Tensor& tensor) override {
    if (found_.contains(value)) found_[value] = holds_nan(tensor);
  }
  [[nodiscard]] bool in(ValueId value) const { return found_[value]; }

 private:
  ValueMap<bool> found_;
};

/// Returns the earliest node above the value that writes NaN and reads none; nullptr where the value is an input.
const Node* first_above(const Graph& graph, ValueId value, const NanObserver& nan) {
  const Node* first = nullptr;
  std::vector<ValueId> open{value};
  ValueMap<bool> visited(graph.values().size(), false);
  while (!open.empty()) {
    const Node* node = graph.producer(open.back());
    open.pop_back();
    if (!node) continue;
    bool reads_nan = false;
    for (const ValueId input : present(node->inputs)) {
      if (!nan.in(input)) continue;
      reads_nan = true;
      if (!visited[input]) open.push_back(input);
      visited[input] = true;
    }
    if (!reads_nan && (!first || node->id < first->id)) first = node;
  }
  return first;
}

}  // namespace

bool holds_nan(const Tensor& tensor) {
  if (tensor.empty_handle() || tensor.is_sequence() || !is_floating_point(tensor.type())) return false;
  const Tensor floats = to_plain(cast(tensor, DataType::Float32));
  return std::ranges::any_of(floats.data<float>(), [](float x) { return std::isnan(x); });
}

std::string origin_of_nan(const Model& model, const std::string& value, const DataSource& source, size_t first,
                          const RunSettings& settings) {
  const Graph& graph = model.graph();
  const ValueId wanted = values_named(graph, {value}).front();
  const RunnablePart runnable(graph);
  std::vector<ValueId> all;
  for (const Value& one : graph.values())
    if (!one.is_constant && (one.is_input || graph.producer(one.id)) && runnable.can_run(one.id)) all.push_back(one.id);
  const Schedule schedule(graph, all);
  NanObserver nan(graph);
  const SampleSubset batch(source, consecutive_samples(source, first, source.batch()));
  Executor(schedule).run(read_first_inputs(batch, settings), nan);
  if (!nan.in(wanted)) return {};
  if (const Node* node = first_above(graph, wanted, nan)) return "node '" + node->name + "' (" + node->op_type + ")";
  for (const ValueId input : graph.inputs())
    if (nan.in(input)) return "input '" + graph.value(input).name + "'";
  return {};
}

}  // namespace detent
