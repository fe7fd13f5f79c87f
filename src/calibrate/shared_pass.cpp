#include "calibrate/shared_pass.h"

#include <algorithm>
#include <utility>

#include "model/fingerprint.h"

namespace detent {

void SharedPass::announce(const Model& model, std::span<const ValueId> values) {
  Measured& known = models_[fingerprint(model).hex()];
  for (const ValueId value : values) known.announced.insert(model.graph().value(value).name);
}

std::vector<ValueId> SharedPass::missing(const Measured& known, const Graph& graph, std::span<const ValueId> values) {
  const auto is_missing = [&](ValueId value) { return !known.histograms.contains(graph.value(value).name); };
  if (std::ranges::none_of(values, is_missing)) return {};
  std::set<ValueId> wanted(values.begin(), values.end());
  for (const std::string& name : known.announced)
    if (const MaybeValue value = graph.find_value(name)) wanted.insert(*value);
  std::erase_if(wanted, [&](ValueId value) { return !is_missing(value); });
  return {wanted.begin(), wanted.end()};
}

void SharedPass::add(Measured& known, const Graph& graph, Calibration calibration) {
  for (auto& [value, histogram] : std::exchange(calibration.histograms, {}))
    known.histograms.emplace(graph.value(value).name, std::move(histogram));
  for (auto& [value, extremes] : std::exchange(calibration.extremes, {}))
    known.extremes.emplace(graph.value(value).name, std::move(extremes));
  if (known.facts.samples == 0) known.facts = std::move(calibration);
}

Calibration SharedPass::calibrate(const Model& model, std::span<const ValueId> values, const DataSource& source,
                                  const RunSettings& settings) {
  const Graph& graph = model.graph();
  Measured& known = models_[fingerprint(model).hex()];
  if (const std::vector<ValueId> more = missing(known, graph, values); !more.empty() || known.facts.samples == 0)
    add(known, graph, detent::calibrate(graph, more, source, settings));
  Calibration result = known.facts;
  for (const ValueId value : values) {
    const std::string& name = graph.value(value).name;
    result.histograms.emplace(value, known.histograms.at(name));
    if (const auto extremes = known.extremes.find(name); extremes != known.extremes.end())
      result.extremes.emplace(value, extremes->second);
  }
  return result;
}

}  // namespace detent
