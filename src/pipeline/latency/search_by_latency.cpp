#include "pipeline/latency/search_by_latency.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "core/files/atomic_file.h"
#include "core/files/output_set.h"
#include "core/process/early_end.h"
#include "core/stopwatch.h"
#include "detent/base/error.h"
#include "detent/base/progress.h"
#include "detent/cast.h"
#include "model/fingerprint.h"
#include "model/model.h"
#include "pipeline/latency/accuracy_limit.h"
#include "pipeline/latency/latency_factors.h"
#include "pipeline/parts/quantize_report.h"
#include "pipeline/parts/written_file.h"
#include "place/engines/target.h"
#include "prepare/read_model_to_run.h"
#include "tune/latency/latency_search.h"

namespace detent {

namespace {

namespace fs = std::filesystem;

using State = LedgerFile::State;

constexpr size_t kCallsWithTable = 10;

/// One search: carries out what decide() asks for, and writes the ledger (tune/latency/README.md). Its arguments
/// outlive it.
class SearchByLatency {
 public:
  SearchByLatency(const Attempt& attempt, const QuantizeOptions& options, LatencyTimer& timer, const BoundJudge* judge)
      : attempt_(attempt), options_(options), timer_(timer), limit_(attempt, options, judge),
        variants_(attempt, options), reporter_(*options.run.reporter),
        fingerprint_(fingerprint(read_float_model(options.model)).hex()),
        origin_(start_report(options, attempt.prepared, attempt.measured, attempt.chosen, {}).provenance) {
    report_.command = options.latency.command;
    report_.limit = limit_.text();
    report_.table = timer.table.path().string();
  }

  FastestFile run() {
    reporter_.begin("measuring latency", ledger_.budget);
    time_default();
    time_cast();
    if (ledger_.ms_of(LatencyChoice::Default)) begin_variants();
    try {
      while (const std::optional<LatencyAsk> ask = decide(ledger_, left())) {
        ledger_.phase = ask->phase;
        if (ask->halve)
          halve(*ask->halve);
        else if (const auto file = ledger_.find(ask->file, ask->changes))
          time(*file);
        else
          try_variant(ask->changes);
      }
      return chosen();
    } catch (const Error& error) {
      if (!interrupted() && ends_early(error)) return chosen();
      if (error.code() == ErrorCode::Interrupted) learn();
      throw;
    }
  }

 private:
  /// The file of a row of the ledger.
  struct Made {
    std::string what;  ///< in words
    fs::path path = {};
    std::shared_ptr<const LatencyVariant> variant = {};  ///< of a file with pairs
  };

  [[nodiscard]] size_t left() const { return ledger_.budget - std::min(ledger_.budget, report_.calls.size()); }

  /// Adds a row; returns its place.
  size_t add(LedgerFile file, Made made) {
    ledger_.files.push_back(std::move(file));
    made_.push_back(std::move(made));
    return made_.size() - 1;
  }

  /// Asks the command for the time of a file.
  void time(size_t file) {
    if (made_[file].path.empty()) write(file, variants_.model_of(*made_[file].variant, origin_));
    record(file, timer_.command.ask(made_[file].path));
    const Made& best = made_[decided().file];
    if (!best.path.empty()) keep(best);
  }
  void record(size_t at, const LatencyAnswer& answer) {
    const LedgerFile& file = ledger_.files[at];
    report_.calls.push_back({made_[at].what, file.kind, answer.ms, answer.refusal, file.sqnr_db, answer.seconds});
    reporter_.advance_to(report_.calls.size());
    if (answer.ms) ledger_.files[at].bytes = written_bytes(made_[at].path);
    ledger_.add(at, answer.ms);
  }

  /// Times the default twice: the difference tells the noise. The float model was timed before.
  void time_default() {
    made_ = {{"default", {}, std::make_shared<const LatencyVariant>(variant_of(attempt_, options_, {}))}};
    ledger_.files.front().pairs = pairs_in(*made_.front().variant);
    record(add({.kind = LatencyChoice::Float, .sqnr_db = std::numeric_limits<double>::infinity()},
               {"float", options_.model}),
           timer_.of_float);
    const RewrittenModel model = variants_.model_of(*made_.front().variant, origin_);
    const AccuracyLimit::Answer accuracy = limit_.judge(model.model);
    ledger_.files.front().sqnr_db = accuracy.sqnr_db, ledger_.files.front().score = accuracy.score;
    write(0, model);
    keep(made_.front());  // judged, if not timed
    time(0);
    if (report_.calls.back().ms)
      time(0);
    else if (!timer_.of_float.ms)
      throw Error(ErrorCode::InvalidOption, "the engine of --latency-command takes neither the float model (" +
                                                timer_.of_float.refusal + ") nor the quantized one (" +
                                                report_.calls.back().refusal + ")");
  }

  void time_cast() {
    if (!attempt_.prepared.recipe.target->engine.fast_in_half) return;
    const AtOnce scratch;
    CastModelOptions cast{.model = options_.model, .output = folder_of("cast") / options_.output.filename()};
    cast.data = options_.data;
    cast.run = silently(options_.run);
    cast.overwrite = true;
    const size_t file = add({.kind = LatencyChoice::Cast, .pairs = "none, 16 bits"}, {"cast fp16", cast.output});
    try {
      static_cast<void>(cast_model(cast));
      if (is_accurate(file, read_float_model(cast.output))) time(file);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::Interrupted || error.code() == ErrorCode::InvalidOption) throw;
      record(file, {{}, error.what(), 0});
    }
  }

  /// Judges the file of a row; false where it is not timed.
  bool is_accurate(size_t file, const Model& model) {
    const AccuracyLimit::Answer accuracy = limit_.judge(model);
    LedgerFile& row = ledger_.files[file];
    row.sqnr_db = accuracy.sqnr_db, row.score = accuracy.score;
    if (!accuracy.holds) row.state = State::Inaccurate;
    return accuracy.holds;
  }

  /// Begins the search for other pairs, with what the table knows of the factors.
  void begin_variants() {
    factors_ = latency_factors(attempt_, options_);
    leave_out_inaccurate();
    const std::vector<LearnedNetwork> networks = timer_.table.networks_of(timer_.command.machine(), fingerprint_);
    report_.learned_networks = networks.size();
    ledger_.learned = !networks.empty();
    if (ledger_.learned) ledger_.budget = kCallsWithTable;
    set_factors(networks);
    reporter_.begin("measuring latency", ledger_.budget);
    reporter_.advance_to(report_.calls.size());
  }

  /// Sets the ledger's factors, with the effects that these networks let expect.
  void set_factors(const std::vector<LearnedNetwork>& networks) {
    std::vector<LedgerFactor> factors;
    for (const LatencyFactor& factor : factors_) {
      const ExpectedEffect expected = expected_effect(networks, factor.kind);
      factors.push_back({factor.changes(),
                         expected.networks > 0 ? expected.effect : effect_by_share(factor, float_ratio()),
                         halves_of(factor, attempt_).has_value()});
    }
    ledger_.set_factors(std::move(factors));
  }

  void halve(size_t factor) {
    auto halves = *halves_of(factors_[factor], attempt_);
    factors_[factor] = std::move(halves.first);
    factors_.push_back(std::move(halves.second));
    ledger_.halved = true;
    set_factors({});
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

  /// Makes, judges and times a file, unless it is one that was timed before, or is not accurate enough.
  void try_variant(const Changes& changes) {
    std::vector<const LatencyFactor*> on;
    for (const LatencyFactor& factor : factors_)
      if (std::ranges::includes(changes, factor.changes())) on.push_back(&factor);
    auto variant = std::make_shared<const LatencyVariant>(variant_of(attempt_, options_, on));
    const std::string pairs = pairs_in(*variant);
    if (const LedgerFile* same = ledger_.find_same(pairs)) {
      const bool known = !same->times.empty() && !(pairs.empty() && attempt_.prepared.half);
      const std::optional<double> ms = known ? std::optional(mean_of(same->times)) : std::nullopt;
      const size_t file = add({.changes = changes, .pairs = pairs, .state = State::Same}, {});
      if (ms) ledger_.add(file, ms);
      return;
    }
    const RewrittenModel model = variants_.model_of(*variant, origin_);
    const size_t file = add({.changes = changes, .pairs = pairs}, {words_of(on)});
    if (!is_accurate(file, model.model)) return;
    made_[file].variant = std::move(variant);
    write(file, model);
    time(file);
    if (ledger_.files[file].state == State::Allowed) remove_all_but_best();
  }

  /// Returns the pairs of a variant as the ledger has them; "" for none, as in the float model.
  [[nodiscard]] static std::string pairs_in(const LatencyVariant& variant) {
    const auto has_codes = [](const EdgeDecision& edge) { return edge.reads != Reads::Float; };
    if (std::ranges::none_of(variant.plan.edges, has_codes)) return "";
    return fmt::format("{}:{}", static_cast<int>(variant.format.activation.type), pairs_of(variant.plan));
  }

  /// Returns the float model's time as a part of the default's; 0 where the engine does not take it.
  [[nodiscard]] double float_ratio() const {
    const auto ms = ledger_.ms_of(LatencyChoice::Float);
    return ms ? *ms / *ledger_.ms_of(LatencyChoice::Default) : 0;
  }

  /// Returns the file to write as things stand.
  [[nodiscard]] FastestChoice decided() const {
    return choose_file(LatencyKnowledge(ledger_).choices(), ledger_.noise_now(), options_.latency.prefer);
  }

  FastestFile chosen() {
    const FastestChoice choice = decided();
    const LedgerFile& file = ledger_.files[choice.file];
    const Made& made = made_[choice.file];
    report_.noise = ledger_.noise_now();
    report_.float_ms = ledger_.ms_of(LatencyChoice::Float);
    report_.cast_ms = ledger_.ms_of(LatencyChoice::Cast);
    report_.default_ms = ledger_.ms_of(LatencyChoice::Default);
    report_.chosen = file.kind, report_.chosen_what = made.what, report_.chosen_ms = choice.ms;
    report_.too_inaccurate = ledger_.count(State::Inaccurate);
    for (const size_t at : front_of(LatencyKnowledge(ledger_).choices())) {
      const LedgerFile& one = ledger_.files[at];
      report_.front.push_back(
          {made_[at].what, mean_of(one.times), one.bytes, one.sqnr_db, one.score, at == choice.file});
    }
    if (made.path.empty()) write(choice.file, variants_.model_of(*made.variant, origin_));
    keep(made);
    describe_groups(file.changes);
    learn();
    FastestFile fastest;
    if (!file.has_pairs()) fastest.without_pairs = made.path;
    if (file.kind == LatencyChoice::Variant) {
      fastest.variant = *made.variant;
      fastest.ranges = variants_.ranges_of(*made.variant);
    }
    reporter_.end();
    report_.machine = timer_.command.machine();
    report_.seconds = timer_.of_float.seconds + stopwatch_.seconds();
    fastest.report = std::move(report_);
    return fastest;
  }

  void describe_groups(const Changes& chosen) {
    const LatencyKnowledge known(ledger_);
    for (size_t i = 0; i < factors_.size(); ++i) {
      const auto is_in = [&](const Changes& changes) {
        return std::ranges::includes(changes, ledger_.factors[i].changes);
      };
      LatencyReport::Group group{factors_[i].name,   factors_[i].nodes.size(), {}, 0, is_in(chosen), "",
                                 factors_[i].options};
      const LedgerFile* alone = known.row_of(FactorSet{1} << i);
      if (std::ranges::any_of(ledger_.files,
                              [&](const LedgerFile& file) { return is_in(file.changes) && !file.times.empty(); })) {
        const TimeBelief effect = known.effect_of(i);
        group.gain = -effect.mean, group.error = effect.deviation;
      } else {
        group.left_out = alone && alone->state != State::Allowed ? "beyond the accuracy, or not taken by the engine"
                                                                 : "other calls were more useful";
      }
      report_.groups.push_back(std::move(group));
    }
    std::ranges::stable_sort(report_.groups, std::ranges::greater(),
                             [](const LatencyReport::Group& group) { return group.gain.value_or(-1e9); });
  }

  /// Adds the effects of the factors to the table.
  void learn() {
    if (!ledger_.ms_of(LatencyChoice::Default)) return;
    const LatencyKnowledge known(ledger_);
    LearnedNetwork network{options_.model.filename().string(), fingerprint_, float_ratio(), report_.noise, {}};
    for (size_t i = 0; i < factors_.size(); ++i) {
      const TimeBelief effect = known.effect_of(i);
      if (effect.deviation < LatencyModel::kUnknownEffect.deviation)
        network.groups.push_back({factors_[i].kind, effect});
    }
    timer_.table.learn(timer_.command.machine(), std::move(network));
    timer_.table.save();
  }

  /// Notes the file that is written if the work is interrupted.
  void keep(const Made& made) { timer_.keep(made.path, made.what, report_.calls.size()); }

  [[nodiscard]] fs::path folder_of(const std::string& name) const {
    const AtOnce scratch;
    const fs::path folder = timer_.folder.path() / name;
    make_folder(folder);
    return folder;
  }
  /// Checks the file as it is written at the end.
  void write(size_t file, const RewrittenModel& made) {
    const AtOnce scratch;
    made.check(made.model, options_.output);
    fs::path& path = made_[file].path;
    path = folder_of("file" + std::to_string(file)) / options_.output.filename();
    const std::optional<Model> written = in_kernels_of(find_target(options_.target), made.model);
    write_model(written ? *written : made.model, path, write_options(true, options_.external_data));
  }
  /// Leaves the files of the default, the best set and the kept one; the others can be made again.
  void remove_all_but_best() {
    const LatencyKnowledge known(ledger_);
    const LedgerFile* best = known.row_of(known.best());
    for (size_t i = 1; i < made_.size(); ++i) {
      const LedgerFile& file = ledger_.files[i];
      fs::path& path = made_[i].path;
      if (!file.has_pairs() || &file == best || path.empty() || path == timer_.kept.file) continue;
      std::error_code gone;
      fs::remove_all(path.parent_path(), gone);
      path.clear();
    }
  }

  const Attempt& attempt_;
  const QuantizeOptions& options_;
  LatencyTimer& timer_;
  AccuracyLimit limit_;
  LatencyVariants variants_;
  Reporter& reporter_;
  std::string fingerprint_;
  Provenance origin_;
  Stopwatch stopwatch_;
  LatencyReport report_;
  LatencyLedger ledger_;
  std::vector<Made> made_;              ///< by row
  std::vector<LatencyFactor> factors_;  ///< of the ledger
};

}  // namespace

FastestFile find_fastest(const Attempt& attempt, const QuantizeOptions& options, LatencyTimer& timer,
                         const BoundJudge* judge) {
  return SearchByLatency(attempt, options, timer, judge).run();
}

}  // namespace detent
