#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "detent/options/run_settings.h"
#include "evaluate/judged_batches.h"
#include "evaluate/side_by_side.h"
#include "evaluate/trial.h"
#include "model/model.h"
#include "place/plan/placement_plan.h"
#include "tune/bound_judge.h"
#include "tune/float_variants.h"
#include "tune/score_interval.h"
#include "tune/search.h"

namespace detent {

/// A model under a bound: its variants, their judge and the run settings. Its members must outlive it.
struct BoundedModel {
  FloatVariants& variants;
  const Model& model;  ///< the float model
  const BoundJudge& judge;
  const RunSettings& settings;
};

/// Measures sets of float choices side by side, on more and more samples until it knows on which side of the bound each
/// set lies.
///
/// Stages  the first 64 samples or more (JudgedBatches), then twice as many each time, then all.
/// Sure    A score on part of the samples is extrapolated to all by a reference that was measured on all of them (the
///         float model or another set): the reference's score plus the difference on the part. The reference with the
///         smallest standard error counts (jackknife with the finite population correction). A set is sure where it
///         lies kSureErrors standard errors from the bound.
/// Texts   that models decode are judged on the first kFirstClips clips or more, one set after the other, against the
///         float model's. A set is sure where its rise lies kSureLooks standard errors from the bound, and then the
///         other clips are not decoded, for the last word about it neither; on all clips it meets the bound by
///         BoundJudge::margin_of().
/// Command A metric command has no scores on parts: each set is measured on all samples, two sets at a time.
class BoundRace {
 public:
  using Set = ChoiceSet;
  using PlanOf = std::function<PlacementPlan(const Set&)>;

  /// The measurements of one set.
  struct Standing {
    BoundJudge::Score score;  ///< on the first `batches` batches, the float model's too
    size_t batches = 0;
    bool on_all = false;        ///< `batches` is all of them
    double slack = 0;           ///< distance to the bound on all samples, estimated
    double error = 0;           ///< standard error of `slack`; 0 on all samples
    std::optional<bool> meets;  ///< absent: not sure

    bool decided = false;  ///< nothing more is to be measured: on all samples, or sure about texts

    [[nodiscard]] bool seems_to_meet() const { return meets.value_or(slack > 0); }
  };
  /// Says whether set i goes on to the next stage.
  using GoesOn = std::function<bool(size_t i, std::span<const Standing>)>;

  static constexpr double kSureErrors = 2;
  /// Several looks at growing data find a difference by chance more often than one.
  /// Source  Pocock, "Group sequential methods in the design and analysis of clinical trials", Biometrika 64 (1977):
  ///         2.5 for up to eight looks at 5 %.
  static constexpr double kSureLooks = 2.5;
  static constexpr size_t kFirstClips = 32;

  BoundRace(const BoundedModel& bounded, PlanOf plan_of);

  /// Runs stages until no set goes on. A set that was measured before continues where it ended.
  /// base  a set that most of `sets` nearly equal: their common part is computed once.
  /// Errors  those of measuring, rewriting and running; InvalidOption when nothing can be compared; Interrupted.
  [[nodiscard]] std::vector<Standing> run(const std::vector<Set>& sets, const GoesOn& goes_on,
                                          const std::optional<Set>& base = std::nullopt);
  /// Measures a set on all samples, or until it is decided.
  [[nodiscard]] Standing measure(const Set& set);
  /// Measures a set on all samples, one at a time: joined samples may be rounded differently.
  [[nodiscard]] BoundJudge::Score confirm(const Set& set);
  /// Describes the score that confirm() measures, with its interval, for which the set runs once more with moved
  /// scales.
  [[nodiscard]] ScoreReport describe(const Set& set);
  /// Returns the score on the first `batches` batches, which were measured.
  [[nodiscard]] BoundJudge::Score score_on(const Set& set, size_t batches) const;

  /// Number of sets that were run on any part of the samples.
  [[nodiscard]] size_t measurements() const {
    return bounded_.judge.texts() ? texts_.size() : scores_whole_runs() ? scores_.size() : tallies_.size();
  }
  /// Number of samples in the first `batches` batches.
  [[nodiscard]] size_t samples_in(size_t batches) const;

 private:
  struct Field;  // sets that run side by side

  [[nodiscard]] bool scores_whole_runs() const { return bounded_.judge.scores_whole_runs(); }
  [[nodiscard]] const JudgedBatches& batches();
  [[nodiscard]] TallyRules rules() const;
  [[nodiscard]] Standing standing_of(const Set& set) const;
  /// Returns scores_without_one() of a set; nullopt: of the float model. They are computed once.
  [[nodiscard]] const std::vector<double>& without_one(const std::optional<Set>& set, size_t batches) const;
  /// Fills the slack, its error and whether the set is sure.
  void estimate_slack(const Set& set, Standing& standing) const;
  /// Measures the sets that go on, in their order.
  void run_whole(const std::vector<Set>& sets, const GoesOn& goes_on, std::vector<Standing>& standings);
  void measure_whole(const std::vector<Set>& sets);
  /// Decodes more and more clips with the sets that go on.
  void run_texts(const std::vector<Set>& sets, const GoesOn& goes_on, std::vector<Standing>& standings);
  void make_models(Field& field);
  void run_stage(Field& field, const std::vector<bool>& active, size_t until);

  BoundedModel bounded_;
  PlanOf plan_of_;
  std::optional<JudgedBatches> batches_;
  std::vector<bool> comparable_;
  std::map<Set, ScoreTally> tallies_;
  std::map<Set, BoundJudge::Score> scores_;  // of sets that were measured on all samples
  std::map<Set, BoundJudge::Score> confirmed_;
  std::map<Set, std::vector<TextErrors>> texts_;  // of the first clips
  struct ScoresWithoutOne {
    std::vector<bool> comparable = {};  // the outputs whose errors count in them
    std::map<std::pair<std::optional<Set>, size_t>, std::vector<double>> scores = {};
  };
  mutable ScoresWithoutOne known_;
  std::vector<Set> references_;  // the latest sets that were measured on all samples
};

}  // namespace detent
