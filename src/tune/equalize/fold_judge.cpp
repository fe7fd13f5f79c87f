#include "tune/equalize/fold_judge.h"

#include <algorithm>
#include <iterator>
#include <memory>

#include "calibrate/calibration.h"
#include "calibrate/choose_ranges.h"
#include "detent/base/calibrator.h"
#include "detent/base/error.h"
#include "detent/base/progress.h"
#include "evaluate/compared_values.h"
#include "evaluate/judged_batches.h"
#include "evaluate/sample_scores.h"
#include "exec/find_shapes.h"
#include "place/make_plan.h"
#include "place/plan/placement_plan.h"
#include "rewrite/quantized_model.h"
#include "run/model_inputs.h"
#include "run/samples_together.h"
#include "run/workers.h"
#include "tune/acceptance.h"
#include "tune/choose_calibrator.h"

namespace detent {

FoldScores judge_models(const FoldScorer& scorer, size_t count, const std::function<Model(size_t)>& make,
                        bool one_by_one) {
  FoldScores scores;
  std::vector<Model> models;
  for (size_t i = 0; i < count; ++i) {
    models.push_back(make(i));
    if (!one_by_one && i + 1 < count) continue;
    std::ranges::move(scorer(models), std::back_inserter(scores));
    models.clear();
  }
  return scores;
}

std::vector<std::vector<double>> scores_of(const FoldScores& samples) {
  std::vector<std::vector<double>> scores;
  for (const auto& calibrators : samples) {
    std::vector<double>& model = scores.emplace_back();
    for (const std::vector<double>& one : calibrators) model.push_back(score_db(one));
  }
  return scores;
}

namespace {

/// Returns the specs by the names of their calibrators, each once.
std::vector<std::string> named(const std::vector<std::string>& specs) {
  std::vector<std::string> names;
  for (const std::string& spec : specs) {
    const std::string name = is_auto(spec) ? spec : make_calibrator(spec)->name();
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

/// Judges on one pair of parts and keeps what does not depend on the models.
class Scorer {
 public:
  Scorer(const Model& reference, const JudgeOptions& options, const DataSource& fit, const DataSource& held_out)
      : options_(options), calibrators_(named(options.calibrators)), fit_(fit),
        inputs_(read_first_inputs(held_out, options.run)),
        batches_(reference, outputs_of(reference, inputs_, options.run), held_out, options.run, nullptr) {
    if (batches_.together() == 1 || fit.size() < batches_.together()) return;
    std::vector<Sample> samples;
    for (size_t i = 0; i < batches_.together(); ++i) samples.push_back(fit.read(i));
    joined_inputs_ = stack_samples(std::move(samples));
  }

  [[nodiscard]] FoldScores scores_of(std::span<const Model> models) const {
    std::vector<Model> variants;
    for (const Model& model : models) add_variants(model, variants);
    const size_t count = variants.size();
    const auto take = [&](size_t v) { return std::move(variants[v]); };
    auto samples = sample_scores(evaluate_on_batches(count, take, batches_, options_.run, "comparing equalizations"));
    FoldScores scores(models.size());
    for (size_t v = 0; v < count; ++v) scores[v / calibrators_.size()].push_back(std::move(samples[v]));
    return scores;
  }

 private:
  static std::vector<std::string> outputs_of(const Model& reference, std::span<const Tensor> inputs,
                                             const RunSettings& settings) {
    std::vector<std::string> outputs = values_to_compare(reference, inputs, settings);
    if (!outputs.empty()) return outputs;
    throw Error(ErrorCode::InvalidOption,
                "--equalize auto needs an output to compare, but none that can run comes from float values",
                "name the families: gate, relu, linear, norm, product, value");
  }

  /// Calibrates with several samples at a time where the measured values can be split by sample.
  [[nodiscard]] Calibration calibrated(const Graph& graph, const std::vector<ValueId>& values,
                                       const ValueShapes& shapes, const RunSettings& settings) const {
    std::vector<ValueId> measured;
    for (const ValueId value : values)
      if (!graph.constant(value)) measured.push_back(value);
    if (joined_inputs_.empty() ||
        !are_cut_by_sample(measured, shapes, find_shapes(graph, joined_inputs_), batches_.together()))
      return calibrate(graph, values, fit_, settings);
    const SamplesTogether joined(fit_, batches_.together());
    return calibrate(graph, values, joined, settings, SamplePass::LastBatch::Short);
  }

  /// Adds the variants of one equalized model, one for each calibrator.
  void add_variants(const Model& model, std::vector<Model>& variants) const {
    const Graph& graph = model.graph();
    const ValueShapes shapes = find_shapes(graph, inputs_);
    const PlacementPlan plan = make_placement_plan(graph, options_.target, options_.placement, shapes, options_.kept);
    RunSettings quiet = options_.run;
    quiet.reporter = &Reporter::silent();
    const Calibration calibration = calibrated(graph, plan.quantized_values(), shapes, quiet);
    const RangesOf ranges_of = [&](const Calibrator& calibrator) {
      return choose_ranges(plan, calibration,
                           {graph, calibrator, options_.overrides, options_.format.range_kind(),
                            worker_count(options_.run), options_.clipped_samples});
    };
    WeightMemo memo;
    for (const std::string& name : calibrators_) {
      const CalibratorQuestion question{.model = model,
                                        .plan = plan,
                                        .format = options_.format,
                                        .calibration = calibration,
                                        .ranges_of = ranges_of,
                                        .source = &fit_,
                                        .settings = quiet,
                                        .together = batches_.together()};
      const auto ranges = is_auto(name) ? choose_calibrator(question).ranges : ranges_of(*make_calibrator(name));
      variants.push_back(quantized_model(model, plan, ranges, options_.format, {}, &memo));
    }
  }

  const JudgeOptions& options_;
  std::vector<std::string> calibrators_;
  const DataSource& fit_;
  std::vector<Tensor> inputs_;  // of the first held-out batch
  JudgedBatches batches_;
  std::vector<Tensor> joined_inputs_;  // of several samples; empty where samples run one by one
};

}  // namespace

FoldJudge make_fold_judge(const Model& reference, JudgeOptions options) {
  // Scorers may outlive the judge, so they share its options.
  const auto shared = std::make_shared<const JudgeOptions>(std::move(options));
  return [&reference, shared](const DataSource& fit, const DataSource& held_out) -> FoldScorer {
    std::shared_ptr<const Scorer> scorer;  // made on the first call: a judgement may turn out to be needless
    return [&reference, shared, &fit, &held_out, scorer](std::span<const Model> models) mutable {
      if (!scorer) scorer = std::make_shared<const Scorer>(reference, *shared, fit, held_out);
      return scorer->scores_of(models);
    };
  };
}

}  // namespace detent
