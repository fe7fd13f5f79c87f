#include "half/half_values.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "core/float_type.h"
#include "exec/executor.h"
#include "exec/runnable_part.h"
#include "exec/schedule.h"
#include "run/model_inputs.h"
#include "run/run_over.h"
#include "run/workers.h"

namespace detent {

namespace {

/// Counts the numbers of a tensor; begins_here is not set.
HalfValue look_at(const Tensor& tensor) {
  const Tensor wide = cast(to_plain(tensor), DataType::Float32);
  HalfValue seen{.type = tensor.type()};
  for (const float x : wide.data<float>()) {
    if (std::isfinite(x))
      seen.amax = std::max(seen.amax, std::abs(static_cast<double>(x)));
    else if (std::isnan(x))
      ++seen.nan;
    else
      ++seen.infinite;
  }
  return seen;
}

bool is_finite(const HalfValue& value) { return value.infinite == 0 && value.nan == 0; }

/// Records 16-bit values. Constants are recorded as well, so that -Inf in a mask is not taken for the cause of trouble.
class HalfObserver : public Observer {
 public:
  void observe(ValueId value, const Tensor& tensor) override {
    if (tensor.empty_handle() || tensor.is_sequence() || !is_floating_point(tensor.type())) return;
    const HalfValue seen = look_at(tensor);
    if (!is_finite(seen)) not_finite_.insert(value);
    if (is_half(tensor.type())) values_[value] = seen;
  }

  /// Returns the values of one batch.
  HalfValues take(const Graph& graph) {
    std::erase_if(values_, [&](const auto& entry) { return !graph.value(entry.first).producer; });
    for (auto& [id, value] : values_) {
      const Node& maker = *graph.producer(id);
      value.begins_here = !is_finite(value) && std::ranges::none_of(present(maker.inputs), [&](ValueId input) {
        return not_finite_.contains(input);
      });
    }
    return std::move(values_);
  }

 private:
  HalfValues values_;
  std::set<ValueId> not_finite_;
};

std::vector<ValueId> all_values(const Graph& graph) {
  const RunnablePart runnable(graph);
  std::vector<ValueId> values;
  for (const Value& value : graph.values())
    if ((value.is_constant || value.is_input || value.producer) && runnable.can_run(value.id))
      values.push_back(value.id);
  return values;
}

}  // namespace

HalfValues measure_half_values(const Graph& graph, const DataSource& source, const RunSettings& settings) {
  const std::vector<ValueId> watched = all_values(graph);
  const Schedule schedule(graph, watched, {.exact_fusion = true, .team = team_size(settings, source)});
  ExecutorSlots slots(schedule, worker_count(settings));
  const auto run = [&](size_t slot, std::vector<Sample>&& batch, size_t) {
    HalfObserver observer;
    slots.at(slot).run(stack_samples(std::move(batch)), observer);
    return observer.take(graph);
  };
  HalfValues values;
  const auto add = [&](HalfValues&& batch) {
    for (const auto& [id, seen] : batch) {
      HalfValue& value = values[id];
      value.type = seen.type;
      value.amax = std::max(value.amax, seen.amax);
      value.infinite += seen.infinite;
      value.nan += seen.nan;
      value.begins_here |= seen.begins_here;
    }
  };
  run_over<HalfValues>({.source = source,
                        .settings = settings,
                        .task = "running the model in its types",
                        .refuse_empty = "there was no sample to run the model with"},
                       run, add);
  return values;
}

}  // namespace detent
