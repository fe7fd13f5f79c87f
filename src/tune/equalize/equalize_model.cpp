#include "tune/equalize/equalize_model.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "calibrate/calibration.h"
#include "calibrate/choose_ranges.h"
#include "calibrate/outlier_samples.h"
#include "core/stopwatch.h"
#include "detent/base/error.h"
#include "exec/find_shapes.h"
#include "exec/lean.h"
#include "place/make_plan.h"
#include "run/deciding_samples.h"
#include "run/model_inputs.h"
#include "run/sample_counts.h"
#include "run/sample_subset.h"
#include "tune/acceptance.h"
#include "tune/equalize/branch_products.h"
#include "tune/equalize/branch_ruined.h"
#include "tune/equalize/choose_families.h"
#include "tune/equalize/cross_fit.h"
#include "tune/equalize/equalizer.h"
#include "tune/equalize/even_outliers.h"

namespace detent {

namespace {

/// Measures lists of items as they would be written and takes the first that is better than no equalization.
class Acceptance {
 public:
  Acceptance(const Model& model, const Equalizer& equalizer, const EqualizeData& data, const FoldJudge& judge)
      : model_(model), equalizer_(equalizer), scorer_(judge(data.all, data.all)) {}

  /// Returns `items`, or the best of them without one family; empty when neither is better than no equalization.
  [[nodiscard]] std::vector<EqualizeItem> accepted_of(const std::vector<EqualizeItem>& items, EqualizeReport& report) {
    if (items.empty()) return items;
    const Stopwatch stopwatch;
    const FoldScores first = measure({{}, items});
    report.acceptance = compare(first[0], first[1]);
    report.acceptance->seconds = stopwatch.seconds();
    if (report.acceptance->kept) return items;
    const std::string why = report.acceptance->reason;
    std::vector<std::vector<EqualizeItem>> fewer;
    for (size_t i = 0; i < items.size() && items.size() > 1; ++i) {
      fewer.push_back(items);
      fewer.back().erase(fewer.back().begin() + static_cast<std::ptrdiff_t>(i));
    }
    std::vector<EqualizeItem> best;
    const FoldScores others = fewer.empty() ? FoldScores{} : measure(fewer);
    for (size_t i = 0; i < others.size(); ++i) {
      const AcceptanceReport one = compare(first[0], others[i]);
      if (!one.kept || (report.acceptance->kept && one.after_db <= report.acceptance->after_db)) continue;
      report.acceptance = one;
      best = fewer[i];
    }
    report.acceptance->seconds = stopwatch.seconds();
    for (EqualizeReport::Family& line : report.families) {
      const auto is_line = [&](const EqualizeItem& item) { return name_of(item.family) == line.name; };
      if (std::ranges::any_of(items, is_line) && std::ranges::none_of(best, is_line))
        line.reason = "as it would be written, on all samples: " + why;
    }
    return best;
  }

 private:
  [[nodiscard]] FoldScores measure(const std::vector<std::vector<EqualizeItem>>& lists) const {
    const auto model_of = [&](size_t i) { return lists[i].empty() ? model_.clone() : equalizer_.equalized(lists[i]); };
    return judge_models(scorer_, lists.size(), model_of, runs_alone(model_.graph()));
  }

  /// Compares over the samples of all calibrators together.
  [[nodiscard]] static AcceptanceReport compare(const std::vector<std::vector<double>>& before,
                                                const std::vector<std::vector<double>>& after) {
    std::vector<double> all_before, all_after;
    for (const auto& samples : before) all_before.insert(all_before.end(), samples.begin(), samples.end());
    for (const auto& samples : after) all_after.insert(all_after.end(), samples.begin(), samples.end());
    AcceptanceReport report = accept_change(all_before, all_after);
    report.samples = before.empty() ? 0 : before.front().size();
    return report;
  }

  const Model& model_;
  const Equalizer& equalizer_;
  FoldScorer scorer_;
};

void leave_out(EqualizeFamily family, const std::string& why, EqualizeReport& report) {
  for (EqualizeReport::Family& line : report.families)
    if (line.name == name_of(family)) line.kept = false, line.reason = why;
}

/// Returns the items whose patch leaves the outputs as they are, alone and together. The report says why the others are
/// left out: equalization is exact, so a change means that the analysis of this graph is wrong.
std::vector<EqualizeItem> harmless(std::vector<EqualizeItem> items, const Equalizer& equalizer,
                                   EqualizeReport& report) {
  std::erase_if(items, [&](const EqualizeItem& item) {
    const auto change = equalizer.change_by({item});
    if (change) leave_out(item.family, "it " + change->what, report);
    return change.has_value();
  });
  while (items.size() > 1) {
    const auto change = equalizer.change_by(items);
    if (!change) break;
    leave_out(items.back().family, "together with the families before it, it " + change->what, report);
    items.pop_back();
  }
  return items;
}

/// Returns every family of the model, with its usual exponent.
std::vector<EqualizeItem> all_items(const Equalizer& equalizer) {
  std::vector<EqualizeItem> items;
  for (const EqualizeFamily family : kEqualizeFamilies)
    if (equalizer.has(family)) items.push_back({family});
  return items;
}

/// Reports that nothing was measured, because without INT8 no change brings an output nearer to FP32.
EqualizedModel nothing_to_gain(const JudgeOptions& judged) {
  EqualizedModel model;
  model.report.requested = "auto";
  model.report.notes.push_back(
      fmt::format("nothing is INT8 on {}, so --equalize auto does nothing", *judged.target.engine.name));
  return model;
}

/// The number of samples among which outlier channels choose theirs by name: sources may be endless.
constexpr size_t kOutlierNames = 4096;

/// Returns the number of samples that judge outlier channels: as many as 4e9 multiply-accumulates pay for, at least 4.
size_t outlier_samples(int64_t macs) {
  constexpr int64_t kPassMacs = 4'000'000'000, kLeast = 3;
  return static_cast<size_t>(std::clamp<int64_t>(kPassMacs / std::max<int64_t>(1, macs), kLeast, kProbingSamples));
}

EqualizeReport describe_equalization(const CalibrationTable& table) {
  EqualizeReport report;
  report.requested = (table.equalize.empty() ? "off" : table.equalize) + ", by the table";
  for (const EqualizeFamily family : kEqualizeFamilies) {
    EqualizeReport::Family line{std::string(name_of(family))};
    for (const auto& [name, value] : table.equalization.values) line.values += value.family == family;
    line.kept = line.values > 0;
    report.kept |= line.kept;
    report.families.push_back(line);
  }
  return report;
}

}  // namespace

EqualizedModel equalize_model(Model& model, const EqualizeRequest& request, const EqualizeData& data,
                              const FactorOptions& options, const FoldJudge& judge) {
  const auto& [first, source, all, settings, always] = data;
  const Stopwatch stopwatch;
  EqualizedModel outcome;
  const SampleSubset samples(source, samples_by_hash(source, kRangeSamples, always));
  // The first sample of the data may not be among those measured, and reach a Clip.
  const std::vector<Tensor> inputs = read_first_inputs(samples, settings);
  Equalization equalization;
  {
    const bool branches = options.branches || request.mode != EqualizeRequest::Mode::Auto;
    const Equalizer equalizer(model, inputs, samples, settings, options, [&](const ChannelGroup& group) {
      return branches || group.family != EqualizeFamily::Branch;
    });
    EqualizeReport& report = outcome.report;
    report.families = equalizer.describe_families();
    report.samples = samples.size();
    std::vector<EqualizeItem> items = request.items;
    if (request.mode == EqualizeRequest::Mode::Auto) {
      report.requested = "auto";
      for (const EqualizeItem& item : all_items(equalizer)) static_cast<void>(harmless({item}, equalizer, report));
      if (source.size() >= kFewestToJudge) {
        const CrossFit scores(model, data, options, judge);
        const auto on_part = [&](auto lists, size_t part) { return scores.on_part(lists, part); };
        items = harmless(choose_families({scores.parts(), on_part}, report), equalizer, report);
        items = Acceptance(model, equalizer, data, judge).accepted_of(items, report);
        for (EqualizeReport::Family& line : report.families)
          line.kept =
              std::ranges::any_of(items, [&](const EqualizeItem& item) { return name_of(item.family) == line.name; });
      }
    } else {
      report.requested = to_text(items);
      for (const EqualizeItem& item : items)
        for (EqualizeReport::Family& line : report.families)
          if (line.name == name_of(item.family)) line.alpha = item.alpha, line.kept = line.groups > 0;
      items = harmless(items, equalizer, report);
    }
    report.kept = !items.empty();
    if (!report.kept && report.acceptance) report.reason = report.acceptance->reason;
    equalization = equalizer.equalization(items);
    report.values = equalizer.describe_values(equalization);
    std::ranges::copy(equalizer.notes(equalization), std::back_inserter(report.notes));
    if (request.mode == EqualizeRequest::Mode::Auto && source.size() < kFewestToJudge)
      report.notes.push_back(
          fmt::format("--equalize auto needs {} samples to tell what gains, and there are {}: give "
                      "more, or name the families",
                      kFewestToJudge, source.size()));
  }
  apply_equalization(model, equalization, inputs);
  outcome.equalization = std::move(equalization);
  outcome.report.seconds = stopwatch.seconds();
  return outcome;
}

std::optional<EqualizedModel> equalize_as_requested(Model& model, const EqualizeRequest& request,
                                                    std::span<const Tensor> inputs, const DataSource& all,
                                                    OutlierPolicy policy, const FactorOptions& options,
                                                    JudgeOptions judged) {
  if (!request.equalizes()) return std::nullopt;
  const Graph& graph = model.graph();
  const PlacementPlan plan =
      make_placement_plan(graph, judged.target, judged.placement, find_shapes(graph, inputs), judged.kept);
  const std::vector<ValueId> quantized = plan.quantized_values();
  if (request.mode == EqualizeRequest::Mode::Outliers) {
    if (quantized.empty()) return std::nullopt;
    judged.calibrators = {std::string(kOutlierCalibrator)};
    const SampleSubset names(all, spread_samples(all, kOutlierNames));
    const EqualizeData data{inputs, names, names, judged.run, no_samples()};
    const size_t samples = outlier_samples(plan.coverage.macs);
    const auto judge_of = [&](const Model& reference) { return make_fold_judge(reference, judged); };
    if (may_branch_products(graph, plan, judged)) {
      Model plain = model.clone();
      auto evened = even_outliers(model, data, options, judge_of(plain), samples);
      return branch_products(model, std::move(plain), std::move(evened), data, options, judged);
    }
    if (!may_branch(graph, plan, judged, inputs)) return even_outliers(model, data, options, judge_of(model), samples);
    Model plain = model.clone();
    auto evened = even_outliers(model, data, options, judge_of(plain), samples);
    const auto judge_beside = [&](const MeasuredFacts& kept) {
      JudgeOptions beside = judged;
      beside.kept = kept;
      return make_fold_judge(model, std::move(beside));
    };
    return branch_ruined(model, std::move(plain), std::move(evened), data, options, judged, judge_beside);
  }
  if (request.mode == EqualizeRequest::Mode::Auto && quantized.empty()) return nothing_to_gain(judged);
  const auto outliers = names_of(find_outlier_samples(calibrate(graph, quantized, all, judged.run)));
  const SampleSubset usual(all, samples_without(all, outliers));
  const bool kept = policy == OutlierPolicy::Keep;
  if (policy == OutlierPolicy::Clip) judged.clipped_samples = outliers;
  FactorOptions factors = options;
  factors.branches = judged.target.engine.fuses_scaled_norms;
  const EqualizeData data{inputs, kept ? all : usual, policy == OutlierPolicy::Drop ? usual : all, judged.run,
                          kept ? outliers : no_samples()};
  return equalize_model(model, request, data, factors, make_fold_judge(model, judged));
}

std::optional<EqualizedModel> equalize_by_table(const CalibrationTable& table, Model& model,
                                                const EqualizeRequest& requested, std::span<const Tensor> inputs) {
  using Mode = EqualizeRequest::Mode;
  const std::string wish = requested.mode == Mode::Auto       ? "auto"
                           : requested.mode == Mode::Outliers ? "outliers"
                                                              : to_text(requested.items);
  const std::string measured = table.equalize.empty() ? "off" : table.equalize;
  if (requested.mode != Mode::Unset && wish != measured)
    throw Error(
        ErrorCode::TableMismatch,
        fmt::format("the table was measured with --equalize {}, but --equalize {} is asked for", measured, wish),
        "leave --equalize out, or calibrate again with --equalize " + wish);
  if (table.equalize.empty()) return std::nullopt;
  EqualizedModel evened{table.equalization, describe_equalization(table)};
  apply_equalization(model, table.equalization, inputs);
  return evened;
}

}  // namespace detent
