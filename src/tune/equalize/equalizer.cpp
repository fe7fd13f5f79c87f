#include "tune/equalize/equalizer.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "equalize/equalize_patch.h"
#include "exec/executor.h"
#include "exec/find_shapes.h"
#include "exec/schedule.h"
#include "observe/channel_range_observer.h"
#include "ops/value_types.h"
#include "run/observed_batch.h"
#include "run/run_over.h"
#include "run/workers.h"

namespace detent {

namespace {

std::vector<ChannelGroup> with_family(const std::vector<ChannelGroup>& groups, EqualizeFamily family) {
  std::vector<ChannelGroup> chosen;
  std::ranges::copy_if(groups, std::back_inserter(chosen),
                       [&](const ChannelGroup& group) { return group.family == family; });
  return chosen;
}

/// Passes values on with padding as NaN, which the observer ignores.
struct RangeWorker : SampleObserver {
  Executor executor;
  ChannelRangeObserver observer;

  RangeWorker(const Schedule& schedule, const std::map<ValueId, int>& axes) : executor(schedule), observer(axes) {}
  void observe(ValueId value, const Tensor& tensor, const SampleAxis&, std::span<const uint8_t> counted) override {
    if (counted.empty()) return observer.observe(value, tensor);
    Tensor marked = cast(tensor, DataType::Float32).clone();
    const auto elements = marked.mutable_data<float>();
    for (size_t i = 0; i < elements.size(); ++i)
      if (counted[i] == 0) elements[i] = std::numeric_limits<float>::quiet_NaN();
    observer.observe(value, marked);
  }
};

/// Runs every sample of `source` once and returns the extremes of each channel, independent of order and threads.
/// axes    values to watch, and the axis that counts channels. None -> nothing is run.
/// Errors  InvalidData when there is no sample or a value's channels change between samples; those of running;
///         Interrupted.
ChannelRanges channel_ranges_of(const Graph& graph, const std::map<ValueId, int>& axes, const DataSource& source,
                                const RunSettings& settings) {
  if (axes.empty()) return {};
  std::vector<ValueId> wanted;
  for (const auto& [value, axis] : axes) wanted.push_back(value);
  const Schedule schedule(graph, wanted, {.exact_fusion = true, .team = team_size(settings, source)});
  const SampleAxes samples = find_sample_axes(schedule, source, settings);
  std::vector<std::unique_ptr<RangeWorker>> workers(worker_count(settings));
  const auto run = [&](size_t slot, std::vector<Sample>&& batch, size_t) {
    if (!workers[slot]) workers[slot] = std::make_unique<RangeWorker>(schedule, axes);
    run_observed(workers[slot]->executor, std::move(batch), samples, *workers[slot]);
    return true;
  };
  run_over<bool>({.source = source,
                  .settings = settings,
                  .task = "measuring channels",
                  .refuse_empty = "there was no sample to measure channels with"},
                 run, [](bool) {});
  ChannelRangeObserver all(axes);
  for (const auto& worker : workers)
    if (worker) all.merge(worker->observer);
  return all.ranges();
}

}  // namespace

Equalizer::Equalizer(const Model& model, std::span<const Tensor> inputs, const DataSource& samples,
                     const RunSettings& settings, const FactorOptions& options, const GroupFilter& filter)
    : model_(model), inputs_(inputs), options_(options), before_(outputs_of(model, inputs)),
      groups_(find_channel_groups(model.graph(), find_shapes(model.graph(), inputs), ActivationFactors::None,
                                  options.branched)),
      groups_behind_(find_channel_groups(model.graph(), find_shapes(model.graph(), inputs), ActivationFactors::Behind,
                                         options.branched)) {
  if (filter)
    for (auto* groups : {&groups_, &groups_behind_}) std::erase_if(*groups, std::not_fn(filter));
  std::map<ValueId, int> values = values_to_range(groups_);
  values.merge(values_to_range(groups_behind_));
  ranges_ = channel_ranges_of(model.graph(), values, samples, settings);
}

bool Equalizer::has(EqualizeFamily family) const {
  return std::ranges::any_of(groups_of(family), [&](const ChannelGroup& group) { return group.family == family; });
}

Equalizer::Tried Equalizer::tried(const std::vector<EqualizeItem>& items) const {
  constexpr double kShareOfBound = 0.25;
  Equalization free = with_factors(items, false);
  if (free.empty()) return {std::move(free), std::nullopt, std::nullopt};
  if (!holds_half_values(model_.graph()))
    if (Model copy = patched(free); !changed_output(before_, copy, inputs_, kShareOfBound))
      return {std::move(free), std::move(copy), std::nullopt};
  Equalization powers = with_factors(items, true);
  Model copy = patched(powers);
  auto change = changed_output(before_, copy, inputs_);
  return {std::move(powers), std::move(copy), std::move(change)};
}

Model Equalizer::patched(const Equalization& equalization) const {
  Model copy = model_.clone();
  apply_patch(copy, make_equalize_patch(copy.graph(), equalization));
  return copy;
}

Equalization Equalizer::with_factors(const std::vector<EqualizeItem>& items, bool powers_of_two) const {
  Equalization result;
  const bool behind =
      std::ranges::any_of(items, [](const EqualizeItem& item) { return item.family == EqualizeFamily::Act; });
  for (const EqualizeItem& item : items) {
    FactorOptions options = options_;
    options.alpha = item.alpha;
    options.powers_of_two = powers_of_two;
    Equalization one = choose_factors(model_.graph(), with_family(groups_for(behind), item.family), ranges_, options);
    result.values.merge(one.values);
    result.gates.merge(one.gates);
    std::ranges::move(one.activations, std::back_inserter(result.activations));
  }
  return result;
}

Model Equalizer::equalized(const std::vector<EqualizeItem>& items) const {
  Tried result = tried(items);
  return result.model && !result.change ? std::move(*result.model) : model_.clone();
}

std::vector<EqualizeReport::Family> Equalizer::describe_families() const {
  std::vector<EqualizeReport::Family> families;
  for (const EqualizeFamily family : kEqualizeFamilies) {
    EqualizeReport::Family line{std::string(name_of(family))};
    for (const ChannelGroup& group : with_family(groups_of(family), family)) {
      ++line.groups;
      line.values += static_cast<size_t>(std::ranges::count(group.members, true, &ChannelGroup::Member::stored));
    }
    families.push_back(line);
  }
  return families;
}

std::vector<EqualizeReport::Value> Equalizer::describe_values(const Equalization& equalization) const {
  std::vector<EqualizeReport::Value> values;
  const Graph& graph = model_.graph();
  for (const ChannelGroup& group : groups_for(!equalization.activations.empty()))
    for (const ChannelGroup::Member& member : group.members) {
      const auto found = equalization.values.find(graph.value(member.value).name);
      if (!member.stored || found == equalization.values.end()) continue;
      const ChannelRange& range = ranges_.at(member.value);
      values.push_back({found->first, std::string(name_of(group.family)), member.factor_of.size(), imbalance(range),
                        imbalance(range, found->second.factors)});
    }
  return values;
}

std::vector<std::string> Equalizer::notes(const Equalization& equalization) const {
  std::vector<std::string> sentences;
  for (const ChannelGroup& group : groups_for(!equalization.activations.empty()))
    for (const ChannelGroup::Limit& limit : group.limits) {
      const std::string& name = model_.graph().value(limit.value).name;
      const auto found = equalization.values.find(name);
      const ChannelRange& range = ranges_.at(limit.value);
      const auto held = std::ranges::count_if(range.max, [&](float high) { return high * 1.5F > limit.high; });
      if (held == 0 || found == equalization.values.end()) continue;
      sentences.push_back("'" + name + "': " + std::to_string(held) + " of " + std::to_string(range.max.size()) +
                          " channels come near the bound of the Clip behind it and stay as they are");
    }
  return sentences;
}

void apply_equalization(Model& model, const Equalization& equalization, std::span<const Tensor> inputs) {
  if (equalization.values.empty()) return;
  const NamedOutputs before = inputs.empty() ? NamedOutputs{} : outputs_of(model, inputs);
  apply_patch(model, make_equalize_patch(model.graph(), equalization));
  if (!inputs.empty()) check_same_outputs(before, model, inputs, "equalization");
}

}  // namespace detent
