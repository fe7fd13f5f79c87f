#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "detent/options/run_settings.h"
#include "evaluate/judged_batches.h"
#include "evaluate/side_by_side.h"
#include "model/model.h"
#include "place/plan/placement_plan.h"
#include "tune/bound_judge.h"
#include "tune/float_variants.h"
#include "tune/score_tally.h"
#include "tune/search.h"

namespace detent {

/// A model under a bound: its variants, how they are judged, and how they are run. All of it outlives who looks at it.
struct BoundedModel {
  FloatVariants& variants;
  const Model& model;  ///< the float model
  const BoundJudge& judge;
  const RunSettings& settings;
};

/// Measures sets of choices that stay float side by side, on more and more of the samples until it is sure on which
/// side of a bound each lies: most lie far from it, and a part of the samples says so.
///
/// Stages  the first 64 samples or more (JudgedBatches), then twice as many each time, then all.
/// Sure    a score on a part is carried to all samples by a model that was measured on all of them, the float model or
///         another set: its score there plus the difference between the two on the part. Of these estimates the one
///         with the smallest standard error (jackknife, with the correction for a part of a finite whole) counts; a set
///         is sure where it lies kSureErrors of them from the bound.
/// A bound by a command has no score on parts, because nobody knows whether the command can judge one: every set is
/// measured on all
///         samples, two at a time, and who goes on is asked in between.
class BoundRace {
 public:
  using Set = ChoiceSet;
  using PlanOf = std::function<PlacementPlan(const Set&)>;

  /// What is known of a set.
  struct Standing {
    BoundJudge::Score score;  ///< on the first `batches` batches, the float model's too
    size_t batches = 0;
    bool on_all = false;        ///< that is all of them
    double slack = 0;           ///< what the bound leaves on all samples, as estimated
    double error = 0;           ///< standard error of that; 0 on all
    std::optional<bool> meets;  ///< absent: not sure

    [[nodiscard]] bool seems_to_meet() const { return meets.value_or(slack > 0); }
  };
  /// Whether set i goes on to the next stage.
  using GoesOn = std::function<bool(size_t i, std::span<const Standing>)>;

  static constexpr double kSureErrors = 2;

  BoundRace(const BoundedModel& bounded, PlanOf plan_of);

  /// Standings when nobody goes on. base  a set that most of these are nearly equal to: what they have in common with
  /// it is computed once. A set that was measured before begins where it ended.
  /// Errors  those of measuring, rewriting
  /// and running; InvalidOption when nothing can be compared; Interrupted.
  [[nodiscard]] std::vector<Standing> run(const std::vector<Set>& sets, const GoesOn& goes_on,
                                          const std::optional<Set>& base = std::nullopt);
  /// On all samples.
  [[nodiscard]] Standing measure(const Set& set);
  /// The same one sample after the other, as everything else measures: samples that are joined may be rounded
  /// otherwise.
  [[nodiscard]] BoundJudge::Score confirm(const Set& set);
  /// On the first `batches` batches, as many as it was measured on.
  [[nodiscard]] BoundJudge::Score score_on(const Set& set, size_t batches) const;

  /// Sets that were run, on whatever part of the samples.
  [[nodiscard]] size_t measurements() const { return by_command() ? scores_.size() : tallies_.size(); }
  /// Samples that all batches hold.
  [[nodiscard]] size_t samples_in(size_t batches) const;

 private:
  struct Field;  // sets that run side by side

  [[nodiscard]] bool by_command() const { return bounded_.judge.by_command(); }
  [[nodiscard]] const JudgedBatches& batches();
  [[nodiscard]] TallyRules rules() const;
  [[nodiscard]] Standing standing_of(const Set& set) const;
  /// Fills the slack, its error, and whether that is sure.
  void estimate_slack(const Set& set, Standing& standing) const;
  /// Those that go on, in their order.
  void run_by_command(const std::vector<Set>& sets, const GoesOn& goes_on, std::vector<Standing>& standings);
  void measure_by_command(const std::vector<Set>& sets);
  void make_models(Field& field);
  void run_stage(Field& field, const std::vector<bool>& active, size_t until);
  void run_batches(const Field& field, size_t from, size_t until, std::span<ScoreTally* const> tallies,
                   std::span<const size_t> starts);

  BoundedModel bounded_;
  PlanOf plan_of_;
  std::optional<JudgedBatches> batches_;
  std::vector<bool> comparable_;
  std::map<Set, ScoreTally> tallies_;
  std::map<Set, BoundJudge::Score> scores_;  // of sets that were measured on all samples
  std::map<Set, BoundJudge::Score> confirmed_;
  std::vector<Set> references_;  // the latest of them
};

}  // namespace detent
