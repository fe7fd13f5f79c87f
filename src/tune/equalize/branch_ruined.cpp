#include "tune/equalize/branch_ruined.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "calibrate/calibration.h"
#include "calibrate/ruined_values.h"
#include "core/stopwatch.h"
#include "core/text.h"
#include "detent/base/progress.h"
#include "exec/find_shapes.h"
#include "place/make_plan.h"
#include "run/deciding_samples.h"
#include "run/sample_counts.h"
#include "run/sample_subset.h"
#include "tune/acceptance.h"
#include "tune/equalize/equalizer.h"

namespace detent {

namespace {

/// With SmoothQuant's 0.5 weights lose less, but 31 dB are left of some values of sentence encoders, just below what
/// R15 asks for.
constexpr double kBranchExponents[] = {0.5, 0.75};

using Readers = std::map<std::string, std::string>;  ///< name of a node -> why it stays float
using Samples = std::vector<double>;                 ///< SQNR of each

std::vector<size_t> some_of(std::vector<size_t> samples) {
  if (samples.size() > kProbingSamples) samples.resize(kProbingSamples);
  return samples;
}

/// True for a branch of which a node in `readers` would be a layer.
bool serves(const Graph& graph, const ChannelGroup& group, const Readers& readers) {
  return group.family == EqualizeFamily::Branch && std::ranges::any_of(group.readers, [&](const Use& use) {
           return readers.contains(graph.node(use.node).name);
         });
}

AcceptanceReport compare(const Samples& before, const Samples& after, size_t layers) {
  AcceptanceReport report;
  report.samples = before.size();
  report.before_db = score_db(before), report.after_db = score_db(after);
  report.worst_before_db = worst_tenth_db(before), report.worst_after_db = worst_tenth_db(after);
  const double loss = *report.before_db - *report.after_db;
  report.kept = loss <= kMostBranchLossDb;
  if (!report.kept)
    report.reason = fmt::format("{} would become INT8, but outputs lose {:.2f} dB, more than {:g}",
                                plural(layers, "layer"), loss, kMostBranchLossDb);
  return report;
}

std::string told(const std::set<std::string>& layers, const AcceptanceReport& judged) {
  std::string names;
  for (const std::string& name : layers) names += (names.empty() ? "'" : ", '") + name + "'";
  return fmt::format("{} in INT8 instead of float, by a Mul in front (mean SQNR {:.2f} -> {:.2f} dB on {}): {}",
                     plural(layers.size(), "layer"), *judged.before_db, *judged.after_db,
                     plural(judged.samples, "other sample"), names);
}

/// The branches of a model and what they make of its layers.
struct Branches {
  double alpha = 0;
  Equalization factors;
  std::set<std::string> layers;  ///< that become INT8
  Readers ruined_beside;         ///< that stay float
  AcceptanceReport judged = {};

  /// True where these should be taken rather than `other`: more layers, then less loss.
  [[nodiscard]] bool beat(const Branches& other) const {
    const auto order = [](const Branches& one) {
      return std::tuple(one.judged.kept, one.judged.kept ? one.layers.size() : 0, *one.judged.after_db);
    };
    return order(*this) > order(other);
  }
};

/// Returns the branches that 8 bits do not ruin.
Branches choose_branches(const Model& model, const Equalizer& equalizer, double alpha, const Readers& ruined,
                         const std::function<Readers(const Model&)>& ruined_of) {
  const Graph& graph = model.graph();
  Branches chosen{.alpha = alpha,
                  .factors = equalizer.equalization({{EqualizeFamily::Branch, alpha}}),
                  .layers = {},
                  .ruined_beside = ruined};
  Model evened = model.clone();
  apply_equalization(evened, chosen.factors, {});
  const Readers still = ruined_of(evened);
  std::erase_if(chosen.factors.values, [&](const auto& entry) {
    const auto& uses = graph.value(*graph.find_value(entry.first)).uses;
    const auto reads = [&](const Readers& readers) {
      return [&](const Use& use) { return use.slot == 0 && readers.contains(graph.node(use.node).name); };
    };
    if (std::ranges::any_of(uses, reads(still))) return true;
    for (const Use& use : uses)
      if (reads(ruined)(use)) chosen.layers.insert(graph.node(use.node).name);
    return false;
  });
  for (const std::string& layer : chosen.layers) chosen.ruined_beside.erase(layer);
  return chosen;
}

}  // namespace

std::map<std::string, std::string> ruined_in(const Model& model, const EqualizeData& data, const DataSource& samples,
                                             const JudgeOptions& judged) {
  const Graph& graph = model.graph();
  const PlacementPlan plan =
      make_placement_plan(graph, judged.target, judged.placement, find_shapes(graph, data.inputs), judged.kept);
  RunSettings quiet = data.settings;
  quiet.reporter = &Reporter::silent();
  return ruined_readers(graph, plan, judged.placement, calibrate(graph, plan.quantized_values(), samples, quiet),
                        judged.overrides, judged.format.range_kind());
}

EqualizedModel end_with(const BranchDecision& decision, Model& model, Model plain, std::optional<EqualizedModel> evened,
                        const Equalizer& equalizer, size_t samples, std::span<const Tensor> inputs) {
  if (!evened) {
    evened.emplace();
    evened->report.requested = "outliers";
    evened->report.families = equalizer.describe_families();
    evened->report.samples = samples;
  }
  EqualizeReport& report = evened->report;
  const AcceptanceReport& judged = decision.judged;
  const std::string name(name_of(EqualizeFamily::Branch));
  for (const EqualizeReport::Family& measured : equalizer.describe_families()) {
    if (measured.name != name) continue;
    EqualizeReport::Family& line = *std::ranges::find(report.families, name, &EqualizeReport::Family::name);
    line = measured;
    line.alpha = decision.alpha;
    line.kept = judged.kept;
    line.reason = judged.reason;
    if (judged.before_db && judged.after_db) line.gain_db = *judged.after_db - *judged.before_db;
  }
  if (!report.kept) {
    const double seconds = report.seconds;
    static_cast<MeasuredChange&>(report) = judged;
    report.acceptance = judged;
    report.seconds = seconds;
  }
  if (!judged.kept) return std::move(*evened);
  std::ranges::move(equalizer.describe_values(decision.factors), std::back_inserter(report.values));
  report.notes.push_back(decision.note);
  evened->equalization.values.insert(decision.factors.values.begin(), decision.factors.values.end());
  apply_equalization(plain, evened->equalization, inputs);  // one rounding, as when a table asks for it
  model = std::move(plain);
  return std::move(*evened);
}

bool may_branch(const Graph& graph, const PlacementPlan& plan, const JudgeOptions& judged,
                std::span<const Tensor> inputs) {
  if (!judged.target.engine.fuses_scaled_norms || judged.placement.residual == PlacementOptions::Residual::Quantize ||
      !pairs_the_stream(graph, plan, judged.placement))
    return false;
  Readers paired;
  for (const EdgeDecision& edge : plan.edges)
    if (edge.reads_pair() && edge.slot == 0) paired.emplace(graph.node(edge.consumer).name, "");
  return std::ranges::any_of(find_channel_groups(graph, find_shapes(graph, inputs)),
                             [&](const ChannelGroup& group) { return serves(graph, group, paired); });
}

std::optional<EqualizedModel> branch_ruined(Model& model, Model plain, std::optional<EqualizedModel> evened,
                                            const EqualizeData& data, const FactorOptions& options,
                                            const JudgeOptions& judged, const JudgeBeside& judge) {
  const Stopwatch stopwatch;
  if (data.all.size() < kFewestToJudge) return evened;
  const SampleSplit split(data.all);
  const SampleSubset measuring(data.all, some_of(split.measuring)), deciding(data.all, some_of(split.deciding));
  const auto ruined_of = [&](const Model& one) { return ruined_in(one, data, measuring, judged); };
  const Readers ruined = ruined_of(model);
  const auto is_ruined = [&](const ChannelGroup& group) { return serves(model.graph(), group, ruined); };
  if (ruined.empty()) return evened;
  const Equalizer equalizer(model, data.inputs, measuring, data.settings, options, is_ruined);
  const auto scores = [&](const Model& one, const Readers& readers) {
    MeasuredFacts kept = judged.kept;
    kept.ruined.insert(readers.begin(), readers.end());
    const FoldJudge beside = judge(kept);
    return beside(measuring, deciding)({&one, 1}).front().front();
  };
  std::optional<Branches> best;
  Samples before;
  for (const double alpha : kBranchExponents) {
    if (!equalizer.changes(EqualizeFamily::Branch) || equalizer.change_by({{EqualizeFamily::Branch, alpha}})) continue;
    Branches branches = choose_branches(model, equalizer, alpha, ruined, ruined_of);
    if (branches.layers.empty()) continue;
    if (before.empty()) before = scores(model, ruined);
    Model with = model.clone();
    apply_equalization(with, branches.factors, {});
    branches.judged = compare(before, scores(with, branches.ruined_beside), branches.layers.size());
    if (!best || branches.beat(*best)) best = std::move(branches);
  }
  if (!best) return evened;
  const std::string note = best->judged.kept ? told(best->layers, best->judged) : "";
  evened = end_with({best->alpha, best->factors, best->judged, note}, model, std::move(plain), std::move(evened),
                    equalizer, measuring.size(), data.inputs);
  evened->report.seconds += stopwatch.seconds();
  return evened;
}

}  // namespace detent
