#include "tune/latency/latency_search.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace detent {

namespace {

using Phase = LatencyLedger::Phase;
using State = LedgerFile::State;

bool is_allowed(const LedgerFile* row) { return !row || row->state == State::Allowed; }
bool is_timed(const LedgerFile* row) { return row && !row->times.empty(); }

std::vector<TimeBelief> effects_of(const LatencyLedger& ledger) {
  std::vector<TimeBelief> effects;
  for (const LedgerFactor& factor : ledger.factors) effects.push_back(factor.effect);
  return effects;
}

std::vector<std::pair<FactorSet, double>> times_of(const LatencyLedger& ledger) {
  std::vector<std::pair<FactorSet, double>> times;
  for (const auto& [file, part] : ledger.parts) times.emplace_back(ledger.set_of(ledger.files[file].changes), part);
  return times;
}

}  // namespace

LatencyKnowledge::LatencyKnowledge(const LatencyLedger& ledger)
    : ledger_(ledger), model_(effects_of(ledger), ledger.noise, times_of(ledger)), beliefs_(model_.beliefs()) {
  for (const auto& [set, file] : ledger.by_set()) rows_[set] = &ledger.files[file];
}

const LedgerFile* LatencyKnowledge::row_of(FactorSet set) const {
  const auto found = rows_.find(set);
  return found == rows_.end() ? nullptr : found->second;
}

/// Returns the timed sets for which one more time may change which of them is the fastest.
std::vector<FactorSet> LatencyKnowledge::contested() const {
  constexpr size_t kMostTimes = 3;  // of a set: its error is .6 of a time's then
  const FactorSet fastest = best();
  const auto count = [&](FactorSet set) { return is_timed(row_of(set)) ? row_of(set)->times.size() : 0; };
  const auto variance = [&](FactorSet set) {
    return count(set) == 0 ? 0 : ledger_.noise * ledger_.noise / static_cast<double>(count(set));
  };
  std::set<FactorSet> close;
  for (const auto& [set, row] : rows_) {
    if (set == fastest || !is_allowed(row) || !is_timed(row)) continue;
    const double error = std::sqrt(variance(set) + variance(fastest));
    if (beliefs_[set].mean - beliefs_[fastest].mean > 2 * error * beliefs_[fastest].mean) continue;
    if (count(set) < kMostTimes) close.insert(set);
    if (count(fastest) < kMostTimes) close.insert(fastest);
  }
  return {close.begin(), close.end()};
}

std::optional<FactorSet> LatencyKnowledge::next(size_t left) const {
  std::vector<FactorSet> sets;
  for (FactorSet set = 0; set < model_.sets(); ++set)
    if (is_allowed(row_of(set))) sets.push_back(set);
  const double to_beat = beliefs_[best()].mean * (1 - ledger_.noise);
  std::vector<FactorSet> hopeful = sets;  // without a time
  std::erase_if(hopeful, [&](FactorSet set) {
    return is_timed(row_of(set)) || beliefs_[set].mean - 2 * beliefs_[set].deviation > to_beat;
  });
  std::vector<FactorSet> useful = contested();
  useful.insert(useful.end(), hopeful.begin(), hopeful.end());
  if (useful.empty()) return std::nullopt;
  if (left == 1) {
    const FactorSet fastest = *std::ranges::min_element(sets, {}, [&](FactorSet set) { return beliefs_[set].mean; });
    if (!is_timed(row_of(fastest))) return fastest;
  }
  const bool spreads = !ledger_.learned && !ledger_.halved;
  const auto timed =
      std::ranges::count_if(rows_, [](const auto& row) { return row.first != 0 && is_timed(row.second); });
  if (spreads && static_cast<size_t>(timed) < std::max(kSpread, model_.factors()) && !hopeful.empty())
    return *std::ranges::max_element(hopeful, {}, [&](FactorSet set) { return beliefs_[set].deviation; });
  return model_.most_useful(useful, sets);
}

FactorSet LatencyKnowledge::best() const {
  FactorSet best = 0;
  for (const auto& [set, row] : rows_)
    if (is_timed(row) && is_allowed(row) && beliefs_[set].mean < beliefs_[best].mean) best = set;
  return best;
}

FactorSet LatencyKnowledge::fewer() const {
  FactorSet fewer = best();
  for (size_t i = 0; i < model_.factors(); ++i) {
    const TimeBelief effect = effect_of(i);
    if (-effect.mean <= effect.deviation) fewer &= ~(FactorSet{1} << i);
  }
  return fewer;
}

std::optional<size_t> LatencyKnowledge::to_halve() const {
  if (ledger_.halved || model_.factors() == kMostFactors) return std::nullopt;
  std::optional<size_t> chosen;
  double most = -std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < model_.factors(); ++i) {
    const TimeBelief effect = effect_of(i);
    const double hope = effect.deviation - effect.mean;
    if (ledger_.factors[i].has_halves && hope > most) most = hope, chosen = i;
  }
  return chosen;
}

std::vector<TimedFile> LatencyKnowledge::choices() const {
  std::vector<TimedFile> choices;
  for (const LedgerFile& file : ledger_.files) {
    TimedFile& choice =
        choices.emplace_back(TimedFile{.kind = file.kind, .sqnr_db = file.sqnr_db.value_or(0), .bytes = file.bytes});
    if (!is_allowed(&file)) continue;
    choice.times = file.times;
    if (!file.has_pairs()) continue;
    const FactorSet set = ledger_.set_of(file.changes);
    choice.changes = static_cast<size_t>(std::popcount(set)), choice.belief = beliefs_[set].mean;
  }
  return choices;
}

namespace {

LatencyAsk ask_for(Phase phase, const LatencyLedger& ledger, FactorSet set) {
  return {phase, set == 0 ? LatencyChoice::Default : LatencyChoice::Variant, ledger.changes_of(set), {}};
}

}  // namespace

std::optional<LatencyAsk> decide(const LatencyLedger& ledger, size_t left) {
  constexpr size_t kReserved = 3;                               // calls for fewer changes and for repetitions
  constexpr size_t kMostInaccurate = 60, kMostSame = 300;       // files that are not timed
  constexpr double kClose = 3;                                  // times the noise
  if (ledger.files.front().times.empty()) return std::nullopt;  // no pairs: the float model is the answer
  const LatencyKnowledge known(ledger);
  if (ledger.phase == Phase::Variants) {
    if (left > kReserved && ledger.count(State::Inaccurate) < kMostInaccurate &&
        ledger.count(State::Same) < kMostSame) {
      const std::optional<size_t> factor = known.to_halve();
      if (factor && left <= ledger.budget / 2) return LatencyAsk{.halve = factor};
      if (const auto set = known.next(left - kReserved)) return ask_for(Phase::Variants, ledger, *set);
      if (factor) return LatencyAsk{.halve = factor};
    }
    const FactorSet fewer = known.fewer();
    if (left > 0 && !known.row_of(fewer)) return ask_for(Phase::Fewer, ledger, fewer);
  }
  if (left == 0) return std::nullopt;
  const FactorSet best = known.best();
  const double ms = known.belief_of(best).mean * *ledger.ms_of(LatencyChoice::Default);
  const auto float_ms = ledger.ms_of(LatencyChoice::Float);
  const bool close = float_ms && std::abs(*float_ms / ms - 1) < kClose * ledger.noise_now();
  if (close && ledger.files[*ledger.find(LatencyChoice::Float)].times.size() < 2)
    return LatencyAsk{Phase::Repeats, LatencyChoice::Float};
  if (best == 0 || known.row_of(best)->times.size() > 1) return std::nullopt;
  return ask_for(Phase::Repeats, ledger, best);
}

}  // namespace detent
