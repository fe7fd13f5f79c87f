#include "pipeline/latency/search_by_latency.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "core/files/atomic_file.h"
#include "core/files/output_set.h"
#include "core/stopwatch.h"
#include "detent/base/error.h"
#include "detent/cast.h"
#include "model/fingerprint.h"
#include "model/model.h"
#include "pipeline/latency/accuracy_limit.h"
#include "pipeline/latency/latency_factors.h"
#include "pipeline/latency/latency_variants.h"
#include "pipeline/parts/quantize_report.h"
#include "pipeline/parts/written_file.h"
#include "prepare/read_model_to_run.h"
#include "tune/latency/fastest_choice.h"
#include "tune/latency/latency_search.h"

namespace detent {

namespace {

namespace fs = std::filesystem;

constexpr size_t kMostCalls = 20, kMostCallsWithTable = 10;
constexpr size_t kMostInaccurate = 60, kMostKnown = 300;  ///< sets that are not timed

/// One search. Its arguments outlive it.
class FastestFile {
 public:
  FastestFile(Attempt& attempt, QuantizeOptions& options, LatencyTimer& timer, const BoundJudge* judge)
      : attempt_(attempt), options_(options), timer_(timer), limit_(attempt, options, judge),
        variants_(attempt, options_), reporter_(*options.run.reporter),
        fingerprint_(fingerprint(read_float_model(options.model)).hex()) {
    report_.command = options.latency.command;
    report_.limit = limit_.text();
    report_.table = timer.table.path().string();
  }

  LatencyReport run() {
    const QuantizeReport started = start_report(options_, attempt_.prepared, attempt_.measured, attempt_.chosen, {});
    origin_ = started.provenance;
    reporter_.begin("measuring latency", kMostCalls);
    note("float", LatencyChoice::Float, timer_.of_float, std::numeric_limits<double>::infinity());
    report_.float_ms = timer_.of_float.ms;
    try {
      ask_default();
      ask_cast();
      search_variants();
      try_fewer();
      repeat_close_ones();
      choose();
    } catch (const Error& error) {
      if (error.code() == ErrorCode::Interrupted && search_) learn();
      throw;
    }
    reporter_.end();
    report_.machine = timer_.command.machine();
    report_.seconds = timer_.of_float.seconds + stopwatch_.seconds();
    return std::move(report_);
  }

 private:
  /// A timed file with the factors that it was made of.
  struct Timed {
    std::string what;
    fs::path path;
    std::optional<double> sqnr_db = {};
    std::vector<double> times = {};
    std::shared_ptr<const LatencyVariant> variant = {};  ///< of sets
  };

  void note(const std::string& what, LatencyChoice file, const LatencyAnswer& answer, std::optional<double> sqnr_db) {
    report_.calls.push_back({what, file, answer.ms, answer.refusal, sqnr_db, answer.seconds});
    reporter_.advance_to(report_.calls.size());
  }
  /// Adds a time, and keeps the file that is the fastest now.
  void add_time(Timed& timed, const LatencyAnswer& answer) {
    if (answer.ms) timed.times.push_back(*answer.ms);
    keep_best();
  }
  [[nodiscard]] size_t left() const { return budget_ - std::min(budget_, report_.calls.size()); }

  void ask_cast() {
    const Target& target = *attempt_.prepared.recipe.target;
    if (!target.engine.fast_in_half) return;
    const AtOnce scratch;
    CastModelOptions cast{.model = options_.model, .output = folder_of("cast") / options_.output.filename()};
    cast.data = options_.data;
    cast.run = silently(options_.run);
    cast.overwrite = true;
    try {
      static_cast<void>(cast_model(cast));
      const AccuracyLimit::Answer accuracy = limit_.judge(read_float_model(cast.output));
      if (!accuracy.holds) {
        ++report_.too_inaccurate;
        return;
      }
      const LatencyAnswer answer = timer_.command.ask(cast.output);
      cast_ = {"cast fp16", cast.output, accuracy.sqnr_db, {}};
      note(cast_.what, LatencyChoice::Cast, answer, cast_.sqnr_db);
      report_.cast_ms = answer.ms;
      add_time(cast_, answer);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::Interrupted || error.code() == ErrorCode::InvalidOption) throw;
      note("cast fp16", LatencyChoice::Cast, {{}, error.what(), 0}, {});
    }
  }

  /// Times the default twice: the difference tells the noise.
  void ask_default() {
    Timed& usual = files_[0];
    usual = {"default", {}, {}, {}};
    usual.variant = std::make_shared<const LatencyVariant>(variant_of(attempt_, options_, {}));
    const RewrittenModel made = variants_.model_of(*usual.variant, origin_);
    usual.sqnr_db = limit_.judge(made.model).sqnr_db;
    write(made, usual);
    keep(usual);  // judged, if not timed
    for (int call = 0; call < 2; ++call) {
      const LatencyAnswer answer = timer_.command.ask(usual.path);
      note(usual.what, LatencyChoice::Default, answer, usual.sqnr_db);
      add_time(usual, answer);
      if (!answer.ms) break;
    }
    if (!usual.times.empty()) return;
    if (!report_.float_ms)
      throw Error(ErrorCode::InvalidOption, "the engine of --latency-command takes neither the float model (" +
                                                timer_.of_float.refusal + ") nor the quantized one (" +
                                                report_.calls.back().refusal + ")");
  }

  /// Starts a search, with what the table knows of the factors.
  void open_search() {
    const std::vector<LearnedNetwork> networks = timer_.table.networks_of(timer_.command.machine(), fingerprint_);
    report_.learned_networks = networks.size();
    std::vector<TimeBelief> effects;
    bool known = !networks.empty();
    for (const LatencyFactor& factor : factors_) {
      const ExpectedEffect expected = expected_effect(networks, factor.kind);
      effects.push_back(expected.networks > 0 ? expected.effect : effect_by_share(factor, float_ratio()));
    }
    budget_ = known ? kMostCallsWithTable : kMostCalls;
    reporter_.begin("measuring latency", budget_);
    reporter_.advance_to(report_.calls.size());
    search_ = std::make_unique<LatencySearch>(std::move(effects), known, noise());
    for (const double ms : files_[0].times) search_->add(0, ms / default_ms());
  }

  /// Returns the float model's time as a part of the default's; 0 where the engine does not take it.
  [[nodiscard]] double float_ratio() const { return report_.float_ms ? *report_.float_ms / default_ms() : 0; }

  [[nodiscard]] double noise() const {
    std::vector<std::vector<double>> all;
    for (const auto& [set, timed] : files_) all.push_back(timed.times);
    all.push_back(float_times());
    return noise_of(all);
  }
  [[nodiscard]] std::vector<double> float_times() const {
    std::vector<double> times;
    for (const LatencyReport::Call& call : report_.calls)
      if (call.file == LatencyChoice::Float && call.ms) times.push_back(*call.ms);
    return times;
  }
  [[nodiscard]] double default_ms() const { return mean_of(files_.at(0).times); }

  void search_variants() {
    if (files_[0].times.empty()) return;  // the engine does not take pairs: the float model is the answer
    factors_ = latency_factors(attempt_, options_);
    leave_out_inaccurate();
    open_search();
    constexpr size_t kReserved = 3;  // calls for fewer changes and for repetitions
    bool halved = false;
    while (left() > kReserved && inaccurate_ < kMostInaccurate && known_.size() < kMostKnown) {
      if (!halved && left() <= budget_ / 2) halved = true, halve_a_group();
      const auto set = search_->next(left() - kReserved);
      if (!set && !std::exchange(halved, true) && halve_a_group()) continue;
      if (!set) break;
      if (files_.contains(*set)) {
        ask_again(*set, LatencyChoice::Variant);
        continue;
      }
      try_set(*set);
    }
  }

  /// Leaves out other forms of all pairs that are beyond the accuracy alone: with groups in float as well they may be
  /// within it, and are slower than those groups.
  void leave_out_inaccurate() {
    std::erase_if(factors_, [&](const LatencyFactor& factor) {
      if (!factor.nodes.empty()) return false;
      const AccuracyLimit::Answer accuracy =
          limit_.judge(variants_.model_of(variant_of(attempt_, options_, {&factor}), origin_).model);
      if (accuracy.holds) return false;
      LatencyReport::Group group{factor.name, 0, {}, 0, false, "beyond the accuracy", factor.options};
      if (accuracy.sqnr_db) group.left_out += fmt::format(": {:.1f} dB", *accuracy.sqnr_db);
      report_.groups.push_back(std::move(group));
      return true;
    });
  }

  /// Makes, judges and times a set, unless its file is one that was timed before, or is not accurate enough.
  void try_set(FactorSet set) {
    Timed timed{
        what_of(set), {}, {}, {}, std::make_shared<const LatencyVariant>(variant_of(attempt_, options_, on_of(set)))};
    if (const auto same = time_of_same(*timed.variant)) {
      search_->forbid(set);
      known_[set] = *same;
      add_known(set);
      return;
    }
    const RewrittenModel made = variants_.model_of(*timed.variant, origin_);
    const AccuracyLimit::Answer accuracy = limit_.judge(made.model);
    if (!accuracy.holds) {
      search_->forbid(set);
      ++report_.too_inaccurate, ++inaccurate_;
      return;
    }
    timed.sqnr_db = accuracy.sqnr_db;
    write(made, timed);
    const LatencyAnswer answer = timer_.command.ask(timed.path);
    note(timed.what, LatencyChoice::Variant, answer, timed.sqnr_db);
    if (answer.ms) {
      Timed& file = files_[set] = timed;
      search_->add(set, *answer.ms / default_ms());
      add_time(file, answer);
      remove_all_but_best();
    } else {
      search_->refuse(set);
    }
  }

  /// Returns the time of the file that has the same pairs, or as few: none. nullopt where there is no such file.
  /// A time of 0 is one that is not known.
  [[nodiscard]] std::optional<double> time_of_same(const LatencyVariant& variant) const {
    const auto has_codes = [](const EdgeDecision& edge) { return edge.pair || edge.dynamic; };
    if (std::ranges::none_of(variant.plan.edges, has_codes))
      return attempt_.prepared.half ? 0 : report_.float_ms.value_or(0);
    for (const auto& [set, timed] : files_)
      if (!timed.times.empty() && have_same_pairs(timed.variant->plan, variant.plan) &&
          timed.variant->format.activation.type == variant.format.activation.type)
        return mean_of(timed.times);
    return std::nullopt;
  }

  void add_known(FactorSet set) {
    if (known_.at(set) > 0) search_->add(set, known_.at(set) / default_ms());
  }

  void ask_again(FactorSet set, LatencyChoice file) {
    Timed& timed = files_[set];
    if (timed.path.empty()) write(variants_.model_of(*timed.variant, origin_), timed);
    const LatencyAnswer answer = timer_.command.ask(timed.path);
    note(timed.what, set == 0 ? LatencyChoice::Default : file, answer, timed.sqnr_db);
    if (!answer.ms) {
      if (search_ && set != 0) search_->refuse(set);
      return;
    }
    if (search_) search_->add(set, *answer.ms / default_ms());
    add_time(timed, answer);
    if (search_) search_->set_noise(noise());
  }

  /// Halves the group of nodes that saves most time, or may: one half may save more than both. Returns false where no
  /// group can be halved.
  bool halve_a_group() {
    size_t chosen = factors_.size();
    double most = -std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < factors_.size(); ++i) {
      const TimeBelief effect = search_->effect_of(i);
      const double hope = effect.deviation - effect.mean;
      if (hope > most && halves_of(factors_[i], attempt_)) most = hope, chosen = i;
    }
    if (chosen == factors_.size() || factors_.size() == kMostFactors) return false;
    auto halves = *halves_of(factors_[chosen], attempt_);
    const auto second = FactorSet{1} << factors_.size();
    factors_[chosen] = std::move(halves.first);
    factors_.push_back(std::move(halves.second));
    // sets with the whole group have both halves
    const auto with_both = [&](FactorSet set) { return (set >> chosen & 1U) != 0 ? set | second : set; };
    std::map<FactorSet, Timed> files;
    for (auto& [set, timed] : files_) files[with_both(set)] = std::move(timed);
    files_ = std::move(files);
    std::map<FactorSet, double> known;
    for (const auto& [set, ms] : known_) known[with_both(set)] = ms;
    known_ = std::move(known);
    std::vector<TimeBelief> effects;
    for (const LatencyFactor& factor : factors_) effects.push_back(effect_by_share(factor, float_ratio()));
    auto search = std::make_unique<LatencySearch>(std::move(effects), true, noise());
    const double usual = default_ms();
    for (const auto& [set, timed] : files_)
      for (const double ms : timed.times) search->add(set, ms / usual);
    for (const FactorSet set : search_->forbidden()) search->forbid(with_both(set));
    search_ = std::move(search);
    for (const auto& [set, ms] : known_) add_known(set);
    return true;
  }

  /// Tries the fastest set without the changes that save no more than their error: of two files that take the same time
  /// the one with fewer changes is better.
  void try_fewer() {
    if (!search_) return;
    const FactorSet best = search_->best();
    fewer_ = best;
    for (size_t i = 0; i < factors_.size(); ++i) {
      const TimeBelief effect = search_->effect_of(i);
      if (-effect.mean <= effect.deviation) fewer_ &= ~(FactorSet{1} << i);
    }
    if (left() > 0 && !files_.contains(fewer_) && !search_->is_forbidden(fewer_)) try_set(fewer_);
  }

  /// Spends the last calls on what is near the decision.
  void repeat_close_ones() {
    constexpr double kClose = 3;  // times the noise
    if (files_[0].times.empty()) return;
    while (left() > 0) {
      const FactorSet best = search_->best();
      const double ms = search_->belief_of(best).mean * default_ms();
      const std::vector<double> floats = float_times();
      const bool close = !floats.empty() && std::abs(mean_of(floats) / ms - 1) < kClose * noise();
      if (close && floats.size() < 2) {
        note("float", LatencyChoice::Float, timer_.command.ask(options_.model),
             std::numeric_limits<double>::infinity());
        report_.float_ms = mean_of(float_times());
      } else if (files_[best].times.size() < 2 && best != 0) {
        ask_again(best, LatencyChoice::Variant);
      } else {
        return;
      }
    }
  }

  /// Returns what was timed, and the sets of its variants.
  [[nodiscard]] std::pair<TimedFiles, std::vector<FactorSet>> timed_files() const {
    TimedFiles timed;
    std::vector<FactorSet> sets;
    timed.usual = {files_.at(0).times, files_.at(0).sqnr_db.value_or(0)};
    const FactorSet fastest = search_ ? search_->best() : 0;
    for (const auto& [set, file] : files_) {
      if (set == 0 || file.times.empty() || search_->is_forbidden(set)) continue;
      sets.push_back(set);
      timed.variants.push_back({file.times, file.sqnr_db.value_or(0), static_cast<size_t>(std::popcount(set)),
                                search_->belief_of(set).mean});
    }
    timed.fastest = static_cast<size_t>(std::ranges::find(sets, fastest) - sets.begin());
    timed.float_model.times = float_times();
    timed.cast = {cast_.times, cast_.sqnr_db.value_or(0)};
    return {std::move(timed), std::move(sets)};
  }

  /// Returns the file to write as things stand, with its set.
  [[nodiscard]] std::tuple<FastestChoice, FactorSet, Timed> decided() const {
    const auto [timed, sets] = timed_files();
    const FastestChoice choice = choose_fastest(timed, noise());
    const FactorSet set = choice.file == LatencyChoice::Variant ? sets[choice.variant] : 0;
    return {choice, set,
            choice.file == LatencyChoice::Float  ? Timed{"float", options_.model}
            : choice.file == LatencyChoice::Cast ? cast_
                                                 : files_.at(set)};
  }

  /// Carries the decision out.
  void choose() {
    report_.noise = noise();
    auto [choice, set, chosen] = decided();
    if (!files_[0].times.empty()) report_.default_ms = default_ms();
    report_.chosen = choice.file, report_.chosen_what = chosen.what, report_.chosen_ms = choice.ms;
    if (chosen.path.empty()) write(variants_.model_of(*chosen.variant, origin_), chosen);
    keep(chosen);
    describe_groups(set);
    learn();
    if (choice.file == LatencyChoice::Float || choice.file == LatencyChoice::Cast) timer_.chosen = chosen.path;
    if (choice.file != LatencyChoice::Variant) return;
    LatencyVariant variant = *files_[set].variant;
    std::map<ValueId, Range> ranges = variants_.ranges_of(variant);
    options_ = variant.options;
    take_variant(attempt_, std::move(variant), std::move(ranges));
  }

  void describe_groups(FactorSet chosen) {
    for (size_t i = 0; i < factors_.size(); ++i) {
      LatencyReport::Group group{factors_[i].name,   factors_[i].nodes.size(), {}, 0, (chosen >> i & 1U) != 0, "",
                                 factors_[i].options};
      const auto has = [&](FactorSet set) { return (set >> i & 1U) != 0; };
      const bool timed = std::ranges::any_of(
                             files_, [&](const auto& file) { return has(file.first) && !file.second.times.empty(); }) ||
                         std::ranges::any_of(known_, [&](const auto& one) { return has(one.first) && one.second > 0; });
      if (timed) {
        const TimeBelief effect = search_->effect_of(i);
        group.gain = -effect.mean, group.error = effect.deviation;
      } else {
        group.left_out = search_->is_forbidden(FactorSet{1} << i) ? "beyond the accuracy, or not taken by the engine"
                                                                  : "other calls were more useful";
      }
      report_.groups.push_back(std::move(group));
    }
    std::ranges::stable_sort(report_.groups, std::ranges::greater(),
                             [](const LatencyReport::Group& group) { return group.gain.value_or(-1e9); });
  }

  void learn() {
    if (files_[0].times.empty()) return;
    LearnedNetwork network{options_.model.filename().string(), fingerprint_, float_ratio(), report_.noise, {}};
    for (size_t i = 0; i < factors_.size(); ++i) {
      const TimeBelief effect = search_->effect_of(i);
      if (effect.deviation < LatencyModel::kUnknownEffect.deviation)
        network.groups.push_back({factors_[i].kind, effect});
    }
    timer_.table.learn(timer_.command.machine(), std::move(network));
    timer_.table.save();
  }

  /// Keeps the file that would be chosen now, if it was not removed: then the one before.
  void keep_best() {
    const Timed best = std::get<Timed>(decided());
    if (!best.path.empty()) keep(best);
  }

  /// Notes the file that is written if the work is interrupted.
  void keep(const Timed& timed) { timer_.keep(timed.path, timed.what, report_.calls.size()); }

  [[nodiscard]] std::vector<const LatencyFactor*> on_of(FactorSet set) const {
    std::vector<const LatencyFactor*> on;
    for (size_t i = 0; i < factors_.size(); ++i)
      if ((set >> i & 1U) != 0) on.push_back(&factors_[i]);
    return on;
  }
  [[nodiscard]] std::string what_of(FactorSet set) const { return words_of(on_of(set)); }
  [[nodiscard]] fs::path folder_of(const std::string& name) const {
    const AtOnce scratch;
    const fs::path folder = timer_.folder.path() / name;
    make_folder(folder);
    return folder;
  }
  /// Checks the file as it is written at the end.
  void write(const RewrittenModel& made, Timed& timed) {
    const AtOnce scratch;
    made.check(made.model, options_.output);
    timed.path = folder_of("file" + std::to_string(written_++)) / options_.output.filename();
    write_model(made.model, timed.path, write_options(true, options_.external_data));
  }
  /// Leaves the files of the default, the best set and the kept one; the others can be made again.
  void remove_all_but_best() {
    const FactorSet best = search_->best();
    for (auto& [set, timed] : files_) {
      if (set == 0 || set == best || timed.path.empty() || timed.path == timer_.kept.file) continue;
      std::error_code gone;
      fs::remove_all(timed.path.parent_path(), gone);
      timed.path.clear();
    }
  }

  Attempt& attempt_;
  QuantizeOptions& options_;
  LatencyTimer& timer_;
  AccuracyLimit limit_;
  LatencyVariants variants_;
  Reporter& reporter_;
  std::string fingerprint_;
  Stopwatch stopwatch_;
  LatencyReport report_;
  Provenance origin_;
  size_t budget_ = kMostCalls;
  FactorSet fewer_ = 0;  ///< the fastest set without what saves nothing
  size_t written_ = 0;   ///< files, each in a folder: numbers of sets change when a group is halved
  std::vector<LatencyFactor> factors_;
  std::unique_ptr<LatencySearch> search_;
  std::map<FactorSet, Timed> files_;
  std::map<FactorSet, double> known_;  ///< ms of sets whose file was timed as another one; 0: not known
  size_t inaccurate_ = 0;              ///< sets
  Timed cast_;
};

}  // namespace

LatencyReport find_fastest(Attempt& attempt, QuantizeOptions& options, LatencyTimer& timer, const BoundJudge* judge) {
  return FastestFile(attempt, options, timer, judge).run();
}

}  // namespace detent
