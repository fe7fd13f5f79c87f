#include "run/batch_symbol.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <tuple>

namespace detent {

namespace {

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// 2: "batch" stands in it; 1: a usual letter for it; 0: neither.
int likeness(const std::string& symbol) {
  const std::string name = lower_case(symbol);
  if (name.find("batch") != std::string::npos) return 2;
  return name == "b" || name == "bs" || name == "n" ? 1 : 0;
}

struct Sightings {
  int inputs = 0, outputs = 0;
  int lowest_axis = 1 << 20;
};

std::map<std::string, Sightings> sightings_of(const Graph& graph) {
  std::map<std::string, Sightings> found;
  const auto symbols_of = [&](ValueId id) {
    const auto& symbols = graph.value(id).symbols;
    std::set<std::string> distinct(symbols.begin(), symbols.end());
    distinct.erase("");
    return distinct;
  };
  for (const ValueId input : graph.inputs())
    for (const std::string& symbol : symbols_of(input)) {
      Sightings& seen = found[symbol];
      ++seen.inputs;
      seen.lowest_axis = std::min(seen.lowest_axis, axis_of_symbol(graph.value(input), symbol));
    }
  for (const ValueId output : graph.outputs())
    for (const std::string& symbol : symbols_of(output))
      if (const auto seen = found.find(symbol); seen != found.end()) ++seen->second.outputs;
  return found;
}

/// Some input does not speak against it: it leads there, or what leads there is fixed beyond 1 or shared by fewer inputs.
bool may_lead(const Graph& graph, const std::string& symbol, const std::map<std::string, Sightings>& all) {
  return std::ranges::any_of(graph.inputs(), [&](ValueId id) {
    const Value& value = graph.value(id);
    const int axis = axis_of_symbol(value, symbol);
    if (axis <= 0) return axis == 0;
    const std::string& front = value.symbols.front();
    return front.empty() ? value.declared_shape->front() > 1 : all.at(front).inputs < all.at(symbol).inputs;
  });
}

}  // namespace

bool is_named_batch(const std::string& symbol) { return likeness(symbol) > 0; }

int axis_of_symbol(const Value& value, const std::string& symbol) {
  const auto found = std::ranges::find(value.symbols, symbol);
  return symbol.empty() || found == value.symbols.end() ? -1 : static_cast<int>(found - value.symbols.begin());
}

std::string batch_symbol(const Graph& graph) {
  const auto all = sightings_of(graph);
  std::string best;
  std::tuple<int, int, int, int> best_score{};
  for (const auto& [symbol, seen] : all) {
    const int like = likeness(symbol);
    const bool shared = seen.inputs > 1 && may_lead(graph, symbol, all);
    const bool fits = like == 2 || (like == 1 && seen.lowest_axis <= 1 && may_lead(graph, symbol, all)) || shared;
    const std::tuple score{like, seen.inputs, seen.outputs, -seen.lowest_axis};
    if (!fits || (!best.empty() && score <= best_score)) continue;
    best = symbol;
    best_score = score;
  }
  return best;
}

}  // namespace detent
