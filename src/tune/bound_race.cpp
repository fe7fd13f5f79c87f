#include "tune/bound_race.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "core/text.h"
#include "detent/base/error.h"
#include "detent/base/progress.h"
#include "run/sample_counts.h"
#include "run/workers.h"
#include "tune/moved_scales.h"

namespace detent {

namespace {

constexpr size_t kReferences = 4;       // sets that estimates are made from; each costs a jackknife
constexpr size_t kByCommandAtOnce = 2;  // sets that share a run of the float model

/// Numbers of batches: all, half of them, and so on as long as the samples are kJudgedSamples or more.
std::vector<size_t> stages_of(const JudgedBatches& batches) {
  std::vector<size_t> stages{batches.size()};
  while (stages.back() > 1 && batches.samples_in((stages.back() + 1) / 2) >= kJudgedSamples)
    stages.push_back((stages.back() + 1) / 2);
  std::ranges::reverse(stages);
  return stages;
}

/// Returns the model of one set.
Model model_of(FloatVariants& variants, const PlacementPlan& plan) {
  variants.measure_for({&plan, 1});
  return variants.model(plan);
}

}  // namespace

struct BoundRace::Field {
  const std::vector<Set>& sets;
  std::unique_ptr<ModelsSideBySide> models;  // made when the first of them runs
  std::vector<std::optional<size_t>> variant_of;
  std::optional<Set> base;
};

BoundRace::BoundRace(const BoundedModel& bounded, PlanOf plan_of) : bounded_(bounded), plan_of_(std::move(plan_of)) {}

const JudgedBatches& BoundRace::batches() {
  if (!batches_) {
    batches_.emplace(bounded_.judge.reference(), bounded_.judge.judged_values(), bounded_.judge.samples(),
                     bounded_.settings, &bounded_.judge.task());
    comparable_.assign(bounded_.judge.judged_values().size(), true);
  }
  return *batches_;
}

TallyRules BoundRace::rules() const { return {*batches_, bounded_.judge.metric(), comparable_}; }

size_t BoundRace::samples_in(size_t batches) const {
  if (bounded_.judge.texts()) return batches;
  return batches_ ? batches_->samples_in(batches) : bounded_.judge.samples().size();
}

BoundJudge::Score BoundRace::score_on(const Set& set, size_t batches) const {
  if (bounded_.judge.texts()) return bounded_.judge.score_of(std::span(texts_.at(set)).first(batches));
  return scores_whole_runs() ? scores_.at(set) : score_of(tallies_.at(set), batches, rules());
}

BoundRace::Standing BoundRace::standing_of(const Set& set) const {
  Standing standing;
  if (const auto texts = texts_.find(set); texts != texts_.end()) {
    standing.batches = texts->second.size();
    standing.score = score_on(set, standing.batches);
    standing.slack = bounded_.judge.slack(standing.score), standing.error = standing.score.error;
    standing.on_all = standing.batches == bounded_.judge.texts()->size();
    if (standing.on_all)
      standing.meets = bounded_.judge.meets(standing.score);
    else if (std::abs(standing.slack) > kSureLooks * standing.error)
      standing.meets = standing.slack > 0;
    standing.decided = standing.meets.has_value();
  } else if (const auto known = scores_.find(set); known != scores_.end()) {
    standing.score = known->second;
    standing.batches = batches_ ? batches_->size() : 0;
    standing.on_all = standing.decided = true;
    standing.slack = bounded_.judge.slack(known->second);
    standing.meets = bounded_.judge.meets(known->second);
  } else if (const auto tally = tallies_.find(set); tally != tallies_.end() && tally->second.size() > 0) {
    standing.batches = tally->second.size();
    standing.score = score_on(set, standing.batches);
    estimate_slack(set, standing);
  }
  return standing;
}

const std::vector<double>& BoundRace::without_one(const std::optional<Set>& set, size_t batches) const {
  if (known_.comparable != comparable_) known_ = {comparable_, {}};
  const auto [known, added] = known_.scores.try_emplace({set, batches});
  if (added) known->second = scores_without_one(set ? tallies_.at(*set) : batches_->float_tally(), batches, rules());
  return known->second;
}

void BoundRace::estimate_slack(const Set& set, Standing& standing) const {
  const TallyRules rules = this->rules();
  const size_t batches = standing.batches;
  const BoundJudge::Score& here = standing.score;
  const std::vector<double>& own = without_one(set, batches);
  // One more wrong sample changes the share by this much: without one here there may still be some among the others.
  const double least = bounded_.judge.metric() == metrics::kTop1 ? 1 / static_cast<double>(samples_in(batches)) : 0;
  double slack = 0, error = std::numeric_limits<double>::infinity();
  const auto estimate = [&](double reference_on_all, double reference_here, const std::vector<double>& reference) {
    const double one = std::max(least, jackknife_error(own, reference));
    if (!(one < error)) return;
    error = one;
    slack = reference_on_all + bounded_.judge.slack(here) - reference_here;
  };
  if (!bounded_.judge.metric().is_error()) {
    const double whole =
        bounded_.judge.slack({.fp32 = here.fp32, .score = here.fp32});  // the bound itself, on any samples
    estimate(whole, whole, without_one(std::nullopt, batches));
  } else {
    estimate(0, 0, std::vector<double>(batches));
  }
  for (const Set& reference : references_)
    estimate(bounded_.judge.slack(scores_.at(reference)), bounded_.judge.slack(score_on(reference, batches)),
             without_one(reference, batches));
  const double left = 1 - static_cast<double>(batches) / static_cast<double>(batches_->size());
  standing.slack = slack;
  standing.error = error * std::sqrt(left);
  if (std::abs(slack) > kSureErrors * standing.error) standing.meets = slack > 0;
}

void BoundRace::run_whole(const std::vector<Set>& sets, const GoesOn& goes_on, std::vector<Standing>& standings) {
  while (true) {
    std::vector<Set> next;
    for (size_t i = 0; i < sets.size() && next.size() < kByCommandAtOnce; ++i)
      if (!standings[i].on_all && goes_on(i, standings)) next.push_back(sets[i]);
    if (next.empty()) return;
    measure_whole(next);
    for (size_t i = 0; i < sets.size(); ++i) standings[i] = standing_of(sets[i]);
  }
}

void BoundRace::measure_whole(const std::vector<Set>& sets) {
  std::vector<PlacementPlan> plans;
  for (const Set& set : sets) plans.push_back(plan_of_(set));
  bounded_.variants.measure_for(plans);
  std::vector<Model> models;
  for (const PlacementPlan& plan : plans) models.push_back(bounded_.variants.model(plan));
  const auto scores = bounded_.judge.measure(models, "judging " + plural(sets.size(), "model"));
  for (size_t i = 0; i < sets.size(); ++i) scores_.emplace(sets[i], scores[i]);
}

void BoundRace::run_texts(const std::vector<Set>& sets, const GoesOn& goes_on, std::vector<Standing>& standings) {
  const DecodedTexts& clips = *bounded_.judge.texts();
  std::vector<size_t> stages{clips.size()};
  while ((stages.back() + 1) / 2 >= kFirstClips) stages.push_back((stages.back() + 1) / 2);
  std::ranges::reverse(stages);
  for (const size_t until : stages)
    for (size_t i = 0; i < sets.size(); ++i) {
      if (standings[i].decided || standings[i].batches >= until || !goes_on(i, standings)) continue;
      std::vector<TextErrors>& known = texts_[sets[i]];
      const Model model = model_of(bounded_.variants, plan_of_(sets[i]));
      const std::string task = fmt::format("decoding {} of {} clips", until, clips.size());
      std::ranges::copy(clips.errors_of(model, task, known.size(), until), std::back_inserter(known));
      standings[i] = standing_of(sets[i]);
    }
}

void BoundRace::make_models(Field& field) {
  std::vector<size_t> here;
  for (size_t i = 0; i < field.sets.size(); ++i)
    if (!scores_.contains(field.sets[i])) here.push_back(i);  // some may begin in a later stage
  std::vector<PlacementPlan> plans;
  if (field.base) plans.push_back(plan_of_(*field.base));
  for (const size_t i : here) plans.push_back(plan_of_(field.sets[i]));
  bounded_.variants.measure_for(plans);
  field.models = std::make_unique<ModelsSideBySide>(bounded_.model);
  std::optional<size_t> base;
  size_t next = 0;
  if (field.base) base = field.models->add(bounded_.variants.patch(plans[next++]));
  for (const size_t i : here) field.variant_of[i] = field.models->add(bounded_.variants.patch(plans[next++]), base);
  field.models->prepare(batches().names(), team_size(bounded_.settings, bounded_.judge.samples()));
}

void BoundRace::run_stage(Field& field, const std::vector<bool>& active, size_t until) {
  const JudgedBatches& batches = this->batches();
  if (!field.models) make_models(field);
  size_t from = until, running = 0;
  std::vector<ScoreTally*> tallies(field.models->size());
  std::vector<size_t> starts(field.models->size());
  for (size_t i = 0; i < field.sets.size(); ++i) {
    if (!active[i]) continue;
    ScoreTally& tally = tallies_[field.sets[i]];
    tallies[*field.variant_of[i]] = &tally;
    starts[*field.variant_of[i]] = tally.size();
    from = std::min(from, tally.size());
    tally.resize(until);
    ++running;
  }
  bounded_.settings.reporter->begin(
      fmt::format("measuring {} of {} on {} of {} samples", bounded_.judge.metric().name, plural(running, "model"),
                  batches.samples_in(until), batches.samples_in(batches.size())),
      until - from);
  const auto run = [&](size_t b, std::span<const Tensor> inputs, BufferPool& pool, const auto& take) {
    std::vector<bool> some(tallies.size());
    for (size_t v = 0; v < tallies.size(); ++v) some[v] = tallies[v] && starts[v] <= b;
    field.models->run(
        inputs, pool, [&](auto variant, auto&& outputs) { take(*variant, std::move(outputs)); }, &some);
  };
  tally_batches(batches, from, until, bounded_.settings, run, tallies, comparable_);
  if (bounded_.judge.metric().is_error() && std::ranges::find(comparable_, true) == comparable_.end())
    throw nothing_compared();
  if (until < batches.size()) return;
  for (size_t i = 0; i < field.sets.size(); ++i) {
    if (!active[i]) continue;
    BoundJudge::Score& score = scores_[field.sets[i]] = score_on(field.sets[i], until);
    if (const auto errors = word_errors_of(tallies_.at(field.sets[i]), until, rules()))
      score.error = errors->rise, score.margin = bounded_.judge.margin_of(errors->rise, errors->one_word);
    references_.push_back(field.sets[i]);
    if (references_.size() > kReferences) references_.erase(references_.begin());
  }
}

std::vector<BoundRace::Standing> BoundRace::run(const std::vector<Set>& sets, const GoesOn& goes_on,
                                                const std::optional<Set>& base) {
  std::vector<Standing> standings;
  for (const Set& set : sets) standings.push_back(standing_of(set));
  if (bounded_.judge.texts()) {
    run_texts(sets, goes_on, standings);
    return standings;
  }
  if (scores_whole_runs()) {
    run_whole(sets, goes_on, standings);
    return standings;
  }
  Field field{sets, nullptr, std::vector<std::optional<size_t>>(sets.size()), base};
  const std::vector<size_t> stages = stages_of(batches());
  for (const size_t until : stages) {
    std::vector<bool> active(sets.size());
    for (size_t i = 0; i < sets.size(); ++i)
      active[i] = !standings[i].on_all && standings[i].batches < until && goes_on(i, standings);
    if (std::ranges::find(active, true) == active.end()) continue;
    run_stage(field, active, until);
    for (size_t i = 0; i < sets.size(); ++i) standings[i] = standing_of(sets[i]);
  }
  return standings;
}

BoundRace::Standing BoundRace::measure(const Set& set) {
  return run({set}, [](size_t, std::span<const Standing>) { return true; }).front();
}

BoundJudge::Score BoundRace::confirm(const Set& set) {
  const Standing measured = measure(set);
  if (scores_whole_runs() || batches().together() == 1) return measured.score;
  if (const auto known = confirmed_.find(set); known != confirmed_.end()) return known->second;
  const PlacementPlan plan = plan_of_(set);
  std::vector<Model> models;
  models.push_back(bounded_.variants.model(plan));
  BoundJudge::Score score =
      bounded_.judge.measure(models, std::string("confirming ") + bounded_.judge.metric().name).front();
  score.error = measured.score.error, score.margin = measured.score.margin;
  return confirmed_.emplace(set, score).first->second;
}

ScoreReport BoundRace::describe(const Set& set) {
  if (bounded_.judge.texts()) {
    static_cast<void>(measure(set));
    return describe_texts(bounded_.judge, texts_.at(set));
  }
  if (bounded_.judge.takes_steps() && !bounded_.judge.by_command())
    return measure_steps(bounded_.judge, bounded_.variants.model(plan_of_(set)));
  ScoreReport report = describe_score(bounded_.judge, confirm(set));
  if (scores_whole_runs()) return report;
  Model model = bounded_.variants.model(plan_of_(set));
  if (const GraphPatch patch = move_scales(model.graph()); !patch.empty()) apply_patch(model, patch);
  TallyRules rules = this->rules();
  const ScoreTally moved =
      tally_of_model(model, batches(), bounded_.settings, "measuring how rounding moves the score", rules.comparable);
  add_interval(report, tallies_.at(set), moved, rules);
  return report;
}

}  // namespace detent
