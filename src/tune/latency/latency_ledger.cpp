#include "tune/latency/latency_ledger.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace detent {

double mean_of(const std::vector<double>& times) {
  return std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
}

double noise_of(const std::vector<std::vector<double>>& times) {
  constexpr double kUsual = .02, kLeast = .005;
  double squares = kUsual * kUsual, freedom = 1;
  for (const std::vector<double>& same : times) {
    if (same.size() < 2) continue;
    const double mean = mean_of(same);
    for (const double time : same) squares += std::pow(time / mean - 1, 2);
    freedom += static_cast<double>(same.size() - 1);
  }
  return std::max(std::sqrt(squares / freedom), kLeast);
}

void LatencyLedger::set_factors(std::vector<LedgerFactor> now) {
  factors = std::move(now);
  parts.clear();
  const double usual = mean_of(files.front().times);
  for (const bool same : {false, true})
    for (const auto& [set, file] : by_set())
      if ((files[file].state == LedgerFile::State::Same) == same)
        for (const double ms : files[file].times) parts.emplace_back(file, ms / usual);
}

void LatencyLedger::add(size_t at, std::optional<double> ms) {
  LedgerFile& file = files[at];
  if (ms) {
    if (file.has_pairs()) parts.emplace_back(at, *ms / ms_of(LatencyChoice::Default).value_or(*ms));
    file.times.push_back(*ms);
    if (file.has_pairs() && file.times.size() > 1) noise = noise_now();
  } else if (file.kind == LatencyChoice::Variant) {
    parts.emplace_back(at, LatencyModel::kWorst);
    file.state = LedgerFile::State::Refused;
  }
}

std::map<FactorSet, size_t> LatencyLedger::by_set() const {
  std::map<FactorSet, size_t> rows;
  for (size_t i = 0; i < files.size(); ++i)
    if (files[i].has_pairs()) rows[set_of(files[i].changes)] = i;
  return rows;
}

FactorSet LatencyLedger::set_of(const Changes& changes) const {
  FactorSet set = 0;
  for (size_t i = 0; i < factors.size(); ++i)
    if (std::ranges::includes(changes, factors[i].changes)) set |= FactorSet{1} << i;
  return set;
}

Changes LatencyLedger::changes_of(FactorSet set) const {
  Changes changes;
  for (size_t i = 0; i < factors.size(); ++i)
    if ((set >> i & 1U) != 0) changes.insert(factors[i].changes.begin(), factors[i].changes.end());
  return changes;
}

std::optional<size_t> LatencyLedger::find(LatencyChoice kind, const Changes& changes) const {
  for (size_t i = 0; i < files.size(); ++i)
    if (files[i].kind == kind && files[i].changes == changes) return i;
  return std::nullopt;
}

const LedgerFile* LatencyLedger::find_same(const std::string& pairs) const {
  const auto found = std::ranges::find_if(files, [&](const LedgerFile& file) {
    return file.pairs == pairs && (!file.times.empty() || file.kind == LatencyChoice::Float);
  });
  return found == files.end() ? nullptr : &*found;
}

size_t LatencyLedger::count(LedgerFile::State state) const {
  return static_cast<size_t>(std::ranges::count(files, state, &LedgerFile::state));
}

std::optional<double> LatencyLedger::ms_of(LatencyChoice kind) const {
  const auto found = std::ranges::find(files, kind, &LedgerFile::kind);
  if (found == files.end() || found->times.empty()) return std::nullopt;
  return mean_of(found->times);
}

double LatencyLedger::noise_now() const {
  std::vector<std::vector<double>> times;
  for (const auto& [set, file] : by_set()) times.push_back(files[file].times);
  if (const auto floats = find(LatencyChoice::Float)) times.push_back(files[*floats].times);
  return noise_of(times);
}

}  // namespace detent
