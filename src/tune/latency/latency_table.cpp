#include "tune/latency/latency_table.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/files/atomic_file.h"
#include "core/files/folder_lock.h"
#include "core/files/output_set.h"
#include "core/files/reach.h"
#include "core/json/json_place.h"
#include "core/json/parse_json.h"
#include "detent/base/error.h"

namespace detent {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kForm = 1;
constexpr const char* kFormName = "detent_latency_table";
constexpr int64_t kMostForms = 1'000'000;

TimeBelief belief_of(const JsonPlace& place) {
  const JsonPlace error = place.member("error");
  if (error.number() < 0) error.expect("a number from 0 on");
  return {place.member("effect").number(), error.number()};
}

LearnedNetwork network_of(const JsonPlace& place) {
  LearnedNetwork network{place.member("model").text(),
                         place.member("fingerprint").text(),
                         place.member("float_ratio").number(),
                         place.member("noise").number(),
                         {}};
  const JsonPlace groups = place.member("groups");
  for (size_t i = 0; i < groups.size(); ++i) {
    const JsonPlace group = groups.element(i);
    const GroupKind kind{group.member("change").text(), group.member("share").number(),
                         group.member("elements").number()};
    if (kind.share <= 0 || kind.share > 1) group.member("share").expect("a part in (0, 1]");
    network.groups.push_back({kind, belief_of(group)});
  }
  return network;
}

LatencyMachine machine_of(const JsonPlace& place) {
  return {place.member("engine").text(), place.member("version").text(), place.member("device").text(),
          place.member("threads").text(), place.member("batch").text()};
}

json document_of(const LearnedNetwork& network) {
  json groups = json::array();
  for (const LearnedGroup& group : network.groups)
    groups.push_back({{"change", group.kind.change},
                      {"share", group.kind.share},
                      {"elements", group.kind.elements},
                      {"effect", group.effect.mean},
                      {"error", group.effect.deviation}});
  return {{"model", network.model},
          {"fingerprint", network.fingerprint},
          {"float_ratio", network.float_ratio},
          {"noise", network.noise},
          {"groups", std::move(groups)}};
}

}  // namespace

LatencyTable::LatencyTable(fs::path path) : path_(std::move(path)) {
  std::error_code missing;
  if (path_.empty() || !fs::exists(path_, missing)) return;
  const json document = read_json(path_);
  try {
    const JsonPlace place(document);
    const auto form = place.find(kFormName);
    if (!form) place.refuse("this is no table of latencies, which has the member " + std::string(kFormName));
    if (form->whole(1, kMostForms) != kForm) form->refuse("a newer version of Detent wrote it");
    const JsonPlace machines = place.member("machines");
    for (size_t m = 0; m < machines.size(); ++m) {
      const JsonPlace machine = machines.element(m);
      machines_.push_back(machine_of(machine));
      std::vector<LearnedNetwork>& networks = networks_.emplace_back();
      const JsonPlace all = machine.member("networks");
      for (size_t n = 0; n < all.size(); ++n) networks.push_back(network_of(all.element(n)));
    }
  } catch (const Error& error) {
    throw error.in(path_.string());
  }
}

std::vector<LearnedNetwork> LatencyTable::networks_of(const LatencyMachine& machine, const std::string& except) const {
  std::vector<LearnedNetwork> found;
  for (size_t m = 0; m < machines_.size(); ++m)
    if (machines_[m] == machine)
      std::ranges::copy_if(networks_[m], std::back_inserter(found),
                           [&](const LearnedNetwork& network) { return network.fingerprint != except; });
  return found;
}

void LatencyTable::learn(const LatencyMachine& machine, LearnedNetwork network) {
  learned_.emplace_back(machine, network);
  auto at = std::ranges::find(machines_, machine) - machines_.begin();
  if (at == std::ssize(machines_)) machines_.push_back(machine), networks_.emplace_back();
  std::vector<LearnedNetwork>& networks = networks_[static_cast<size_t>(at)];
  std::erase_if(networks, [&](const LearnedNetwork& known) { return known.fingerprint == network.fingerprint; });
  networks.push_back(std::move(network));
}

void LatencyTable::save() {
  if (path_.empty()) return;
  const FolderLock lock(folder_of(place_of(path_)));
  LatencyTable now(path_);
  for (const auto& [machine, network] : learned_) now.learn(machine, network);
  machines_ = std::move(now.machines_), networks_ = std::move(now.networks_);
  json machines = json::array();
  for (size_t m = 0; m < machines_.size(); ++m) {
    const LatencyMachine& machine = machines_[m];
    json networks = json::array();
    for (const LearnedNetwork& network : networks_[m]) networks.push_back(document_of(network));
    machines.push_back({{"engine", machine.engine},
                        {"version", machine.version},
                        {"device", machine.device},
                        {"threads", machine.threads},
                        {"batch", machine.batch},
                        {"networks", std::move(networks)}});
  }
  const json document{{kFormName, kForm}, {"machines", std::move(machines)}};
  const AtOnce outlives;
  write_file(path_, document.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
}

ExpectedEffect expected_effect(const std::vector<LearnedNetwork>& networks, const GroupKind& kind) {
  constexpr double kLeastDeviation = .02;  // two networks differ by more than their noise
  constexpr double kOneNetwork = .5;       // of its effect: nothing says how far others are from it
  double weights = 0, sum = 0, squares = 0, errors = 0;
  size_t known = 0;
  for (const LearnedNetwork& network : networks) {
    const auto same = [&](const LearnedGroup& group) { return group.kind.change == kind.change; };
    if (std::ranges::any_of(network.groups, same)) ++known;
    for (const LearnedGroup& group : network.groups) {  // halves of a group stand beside each other
      if (!same(group)) continue;
      const double scale = kind.share / group.kind.share;
      const double apart =
          kind.elements > 0 && group.kind.elements > 0 ? std::abs(std::log2(kind.elements / group.kind.elements)) : 0;
      const double effect = scale * group.effect.mean, error = scale * group.effect.deviation;
      const double weight = std::exp2(-apart / 2) / (error * error + kLeastDeviation * kLeastDeviation);
      weights += weight, sum += weight * effect, squares += weight * effect * effect, errors += weight * error * error;
    }
  }
  if (known == 0) return {};
  const double mean = sum / weights;
  double spread = std::max(squares / weights - mean * mean, 0.0);
  if (known == 1) spread = std::pow(kOneNetwork * mean, 2);
  const double variance = spread + errors / weights + kLeastDeviation * kLeastDeviation;
  return {{mean, std::min(std::sqrt(variance), LatencyModel::kUnknownEffect.deviation)}, known};
}

std::vector<LatencyForecast> forecasts_of(const LatencyTable& table, const std::vector<PlannedPart>& parts) {
  constexpr double kLeastKnown = .5;  // of the nodes
  std::vector<LatencyForecast> forecasts;
  for (const LatencyMachine& machine : table.machines()) {
    const std::vector<LearnedNetwork> networks = table.networks_of(machine);
    LatencyForecast forecast{table.path().string(), machine, networks.size(), {}, {}, 0};
    size_t nodes = 0, known = 0;
    double saved = 0, variance = 0;
    for (const PlannedPart& part : parts) {
      nodes += part.nodes;
      const ExpectedEffect expected = expected_effect(networks, part.kind);
      if (expected.networks == 0) continue;
      forecast.parts.push_back(
          {part.name, part.nodes, -expected.effect.mean, expected.effect.deviation, expected.networks});
      known += part.nodes;
      saved -= part.nodes > 0 ? expected.effect.mean : 0;
      variance += part.nodes > 0 ? expected.effect.deviation * expected.effect.deviation : 0;
    }
    if (forecast.parts.empty()) continue;
    std::ranges::stable_sort(forecast.parts, std::ranges::greater(), &LatencyForecast::Part::gain);
    // all groups float together are the float model: its time is the quantized file's without what they save
    if (static_cast<double>(known) >= kLeastKnown * static_cast<double>(nodes) && nodes > 0 && saved < 1) {
      forecast.ratio = 1 / (1 - saved);
      forecast.ratio_error = std::sqrt(variance) / ((1 - saved) * (1 - saved));
    }
    forecasts.push_back(std::move(forecast));
  }
  return forecasts;
}

}  // namespace detent
