#include "pipeline/equalize_model.h"

#include <algorithm>
#include <numeric>

#include "equalize/equalize_patch.h"
#include "model/float_types.h"
#include "pipeline/absorb_biases.h"
#include "pipeline/channel_ranges_of.h"
#include "pipeline/plan_report.h"
#include "pipeline/prepare_model.h"
#include "pipeline/sample_subset.h"
#include "pipeline/stopwatch.h"

namespace detent {

namespace {

constexpr size_t kSamples = 32;
constexpr double kAlphas[] = {0.5, 0.75};
std::vector<ChannelGroup> with_family(const std::vector<ChannelGroup>& groups, EqualizeFamily family) {
  std::vector<ChannelGroup> chosen;
  std::ranges::copy_if(groups, std::back_inserter(chosen),
                       [&](const ChannelGroup& group) { return group.family == family; });
  return chosen;
}

double mean(const std::vector<double>& values) {
  return values.empty() ? 0 : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double worst_change(const std::vector<double>& before, const std::vector<double>& after) {
  double worst = 0;
  for (size_t i = 0; i < before.size(); ++i) worst = std::min(worst, after[i] - before[i]);
  return worst;
}

}  // namespace

std::vector<size_t> deciding_samples(const DataSource& source) { return samples_by_hash(source, kSamples); }

std::vector<size_t> samples_beside_deciding(const DataSource& source, size_t most) {
  constexpr size_t kFewest = 8;
  std::vector<size_t> all = samples_by_hash(source, kSamples + most);
  if (all.size() < kSamples + kFewest) return deciding_samples(source);
  all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kSamples));
  return all;
}

Equalizer::Equalizer(const Model& model, std::span<const Tensor> inputs, const DataSource& samples,
                     const RunSettings& settings, const FactorOptions& options)
    : model_(model), inputs_(inputs), options_(options), before_(outputs_of(model, inputs)),
      groups_(find_channel_groups(model.graph(), find_shapes(model.graph(), inputs))),
      groups_behind_(find_channel_groups(model.graph(), find_shapes(model.graph(), inputs), true)) {
  std::map<ValueId, int> values = values_to_range(groups_);
  values.merge(values_to_range(groups_behind_));
  ranges_ = channel_ranges_of(model.graph(), values, samples, settings);
}

bool Equalizer::has(EqualizeFamily family) const {
  return std::ranges::any_of(groups_of(family), [&](const ChannelGroup& group) { return group.family == family; });
}

Equalization Equalizer::equalization(const std::vector<EqualizeItem>& items) const {
  Equalization free = with_factors(items, false);
  return free.empty() || (!holds_half_values(model_.graph()) && !rounds_too_much(free)) ? free
                                                                                        : with_factors(items, true);
}

bool Equalizer::rounds_too_much(const Equalization& equalization) const {
  Model copy = model_.clone();
  apply_patch(copy, make_equalize_patch(copy.graph(), equalization));
  try {
    check_same_outputs(before_, copy, inputs_, "equalization", 0.25);
    return false;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::Internal) throw;
    return true;
  }
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

Model Equalizer::equalized(const Equalization& equalization) const {
  Model copy = model_.clone();
  apply_equalization(copy, equalization, inputs_);
  return copy;
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
  apply_absorption(model, equalization.shifts, inputs);
  if (equalization.values.empty()) return;
  const NamedOutputs before = inputs.empty() ? NamedOutputs{} : outputs_of(model, inputs);
  apply_patch(model, make_equalize_patch(model.graph(), equalization));
  if (!inputs.empty()) check_same_outputs(before, model, inputs, "equalization");
}

namespace {

/// Families one after the other, on top of what was kept.
std::vector<EqualizeItem> choose_families(const Model& model, const Equalizer& equalizer, const EqualizeJudge& judge,
                                          EqualizeReport& report) {
  std::vector<EqualizeItem> kept;
  std::vector<double> scores;
  for (EqualizeReport::Family& line : report.families) {
    const EqualizeFamily family = kEqualizeFamilies[static_cast<size_t>(&line - report.families.data())];
    if (line.groups == 0) continue;
    std::vector<Model> candidates;
    if (scores.empty()) candidates.push_back(model.clone());
    std::vector<std::vector<EqualizeItem>> lists;
    for (const double alpha : kAlphas) {
      lists.push_back(kept);
      lists.back().push_back({family, alpha});
      candidates.push_back(equalizer.equalized(equalizer.equalization(lists.back())));
    }
    std::vector<std::vector<double>> judged = judge(candidates);
    if (scores.empty()) {
      scores = judged.front();
      report.sqnr_before_db = mean(scores);
      judged.erase(judged.begin());
    }
    const auto best = std::ranges::max_element(judged, {}, mean);
    const double gain = mean(*best) - mean(scores);
    line.gain_db = gain;
    line.alpha = kAlphas[best - judged.begin()];
    line.kept = gain >= 0 && worst_change(scores, *best) >= 0;
    if (!line.kept) continue;
    kept = lists[static_cast<size_t>(best - judged.begin())];
    scores = *best;
  }
  if (!scores.empty()) report.sqnr_after_db = mean(scores);
  return kept;
}

}  // namespace

EqualizeOutcome equalize_model(Model& model, const EqualizeRequest& request, std::span<const Tensor> inputs,
                               const DataSource& source, const RunSettings& settings, const FactorOptions& options,
                               const EqualizeJudge& judge) {
  const Stopwatch stopwatch;
  EqualizeOutcome outcome;
  const SampleSubset samples(source, samples_by_hash(source, kRangeSamples));
  Equalization equalization;
  {
    const Equalizer equalizer(model, inputs, samples, settings, options);
    EqualizeReport& report = outcome.report;
    report.families = equalizer.describe_families();
    report.samples = samples.size();
    std::vector<EqualizeItem> items = request.items;
    if (request.mode == EqualizeRequest::Mode::Auto) {
      report.requested = "auto";
      const SampleSubset others(source, samples_beside_deciding(source, kRangeSamples));
      items = choose_families(model, Equalizer(model, inputs, others, settings, options), judge, report);
    } else {
      report.requested = to_text(items);
      for (const EqualizeItem& item : items)
        for (EqualizeReport::Family& line : report.families)
          if (line.name == name_of(item.family)) line.alpha = item.alpha, line.kept = line.groups > 0;
    }
    equalization = equalizer.equalization(items);
    report.values = equalizer.describe_values(equalization);
    report.notes = equalizer.notes(equalization);
  }
  apply_equalization(model, equalization, inputs);
  outcome.equalization = std::move(equalization);
  outcome.report.seconds = stopwatch.seconds();
  return outcome;
}

}  // namespace detent
