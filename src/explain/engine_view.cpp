#include "explain/engine_view.h"

#include <algorithm>

#include "explain/type_words.h"

namespace detent {

EngineView::EngineView(const BuiltEngine& engine, const std::vector<ExplainReport::Layer>& rows)
    : engine_(engine), rows_(rows) {
  for (size_t i = 0; i < engine.layers.size(); ++i) {
    const EngineLayer& layer = engine.layers[i];
    for (const auto& [tensors, wires] : {std::pair(&layer.inputs, &readers_), std::pair(&layer.outputs, &producers_)})
      for (size_t slot = 0; slot < tensors->size(); ++slot)
        if (const EngineTensor& tensor = (*tensors)[slot]; !tensor.name.empty())
          (*wires)[tensor.name].push_back({i, slot, type_word(tensor.format)});
  }
}

namespace {

/// Wires that a search follows at most: it calls itself for each.
constexpr size_t kMostWires = 1000;

}  // namespace

bool EngineView::is_wire(size_t index) const { return rows_[index].kind == "none" || rows_[index].kind == "reformat"; }

bool EngineView::is_binding(std::string_view tensor) const {
  return engine_.bindings.empty() || std::ranges::find(engine_.bindings, tensor) != engine_.bindings.end();
}

void EngineView::add_sources(size_t index, Seen& seen, std::vector<size_t>& found) const {
  if (seen.size() > kMostWires) return;
  for (const EngineTensor& tensor : engine_.layers[index].inputs) {
    const auto producers = producers_.find(tensor.name);
    if (producers == producers_.end()) continue;
    for (const TensorReader& producer : producers->second) {
      if (!seen.insert(producer.layer).second) continue;
      if (is_wire(producer.layer))
        add_sources(producer.layer, seen, found);
      else
        found.push_back(producer.layer);
    }
  }
}

void EngineView::add_readers(size_t index, Seen& seen, std::vector<TensorReader>& found) const {
  if (seen.size() > kMostWires) return;
  for (const EngineTensor& tensor : engine_.layers[index].outputs) {
    const auto readers = readers_.find(tensor.name);
    if (readers == readers_.end()) continue;
    for (const TensorReader& reader : readers->second) {
      if (!is_wire(reader.layer))
        found.push_back(reader);
      else if (seen.insert(reader.layer).second)
        add_readers(reader.layer, seen, found);
    }
  }
}

bool EngineView::leads_to_network(size_t index, bool input, Seen& seen) const {
  if (!seen.insert(index).second || seen.size() > kMostWires) return false;
  const EngineLayer& layer = engine_.layers[index];
  const Wires& wires = input ? producers_ : readers_;
  return std::ranges::any_of(input ? layer.inputs : layer.outputs, [&](const EngineTensor& tensor) {
    if (tensor.name.empty()) return false;
    const auto other = wires.find(tensor.name);
    if (other == wires.end()) return is_binding(tensor.name);
    if (!input && !engine_.bindings.empty() && is_binding(tensor.name)) return true;  // an output with readers
    return std::ranges::any_of(other->second, [&](const TensorReader& next) {
      return is_wire(next.layer) && leads_to_network(next.layer, input, seen);
    });
  });
}

std::vector<size_t> EngineView::sources(size_t index) const {
  Seen seen{index};
  std::vector<size_t> found;
  add_sources(index, seen, found);
  return found;
}

std::vector<TensorReader> EngineView::readers(size_t index) const {
  Seen seen{index};
  std::vector<TensorReader> found;
  add_readers(index, seen, found);
  return found;
}

std::vector<size_t> EngineView::layers_at(const Wires& wires, std::string_view tensor) {
  std::vector<size_t> layers;
  if (const auto found = wires.find(tensor); found != wires.end())
    for (const TensorReader& end : found->second) layers.push_back(end.layer);
  return layers;
}

std::vector<size_t> EngineView::writers(std::string_view tensor) const { return layers_at(producers_, tensor); }
std::vector<size_t> EngineView::direct_readers(std::string_view tensor) const { return layers_at(readers_, tensor); }

bool EngineView::varies(const EngineTensor& tensor) const {
  const auto layers = writers(tensor.name);
  if (layers.empty()) return !engine_.bindings.empty() && is_binding(tensor.name);
  return std::ranges::any_of(layers, [this](size_t layer) { return !engine_.layers[layer].inputs.empty(); });
}

bool EngineView::reads_network_input(size_t index) const {
  Seen seen;
  return leads_to_network(index, true, seen);
}

bool EngineView::writes_network_output(size_t index) const {
  Seen seen;
  return leads_to_network(index, false, seen);
}

}  // namespace detent
