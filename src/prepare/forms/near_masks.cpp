#include <algorithm>
#include <limits>
#include <map>
#include <string>

#include "attention/attention_block.h"
#include "model/name_source.h"
#include "ops/mask_values.h"
#include "ops/op_kind.h"
#include "ops/traits.h"
#include "ops/value_types.h"
#include "prepare/forms/forms.h"

namespace detent::forms {

namespace {

/// The least that a mask adds to hidden scores. exp(-50) is 2e-22: a hidden key has no weight unless its score is 35
/// above all visible ones; and exp of -87 and less is no normal float.
constexpr float kNearest = -50;
/// A number of a mask, and no bias of positions.
constexpr float kHides = -1000;

bool hides(const Tensor* constant) {
  if (!constant || constant->type() != DataType::Float32) return false;
  const auto numbers = constant->data<float>();
  return std::ranges::any_of(numbers, [](float number) { return number <= kHides; });
}

/// True for a value that is computed with a number that hides.
bool comes_from_hiding(const Graph& graph, const ValueMap<bool>& masks, ValueId value, int steps) {
  const Node* node = graph.producer(value);
  if (!node || !masks[value] || steps == 0) return false;
  return std::ranges::any_of(present(node->inputs), [&](ValueId input) {
    return hides(graph.constant(input)) || comes_from_hiding(graph, masks, input, steps - 1);
  });
}

/// Writes the masks of a graph, each once.
class MaskWriter {
 public:
  explicit MaskWriter(const Graph& graph) : graph_(graph), names_(graph) {
    patch_.reason = "write masks of attention with numbers of which Softmax makes no denormal ones";
  }

  GraphPatch run() {
    for (const AttentionBlock& block : find_attention_blocks(graph_, [](ValueId) { return std::nullopt; })) {
      if (block.is_operator()) continue;
      for (const NodeId id : block.between) {
        const Node& node = graph_.node(id);
        if (traits_of(graph_, node).kind != OpKind::Add) continue;
        for (int slot = 0; slot < 2; ++slot)
          if (node.input(slot) && std::ranges::find(block.masks, *node.input(slot)) != block.masks.end())
            bring_near(node, slot);
      }
    }
    return std::move(patch_);
  }

 private:
  void bring_near(const Node& add, int slot) {
    const ValueId mask = *add.input(slot);
    const Value& value = graph_.value(mask);
    const auto [entry, added] = nearer_.try_emplace(mask);
    if (added) {
      if (const Tensor* constant = graph_.constant(mask); hides(constant)) {
        entry->second = names_.fresh(value.name + "_near");
        Tensor near = constant->clone();
        for (float& number : near.mutable_data<float>()) number = std::max(number, kNearest);
        patch_.add_initializers.emplace_back(entry->second, std::move(near));
      } else if (is_computed(mask)) {
        entry->second = names_.fresh(value.name + "_near");
        patch_.add_nodes.push_back(
            {"Max", names_.fresh(entry->second + "_Max"), {value.name, nearest()}, {entry->second}, {}, ""});
      }
    }
    if (!entry->second.empty()) patch_.rewire.push_back({add.name, slot, entry->second});
  }

  /// True for a mask of 32 bits that nodes compute, and that stands at its number already in no node.
  bool is_computed(ValueId mask) {
    constexpr int kLongest = 12;
    if (!facts_) facts_.emplace(Facts{mask_values(graph_), value_types(graph_)});
    return facts_->types[mask] == DataType::Float32 && comes_from_hiding(graph_, facts_->masks, mask, kLongest) &&
           !is_near(mask);
  }

  bool is_near(ValueId mask) const {
    const Node* node = graph_.producer(mask);
    const Tensor* least = node && node->op_type == "Max" ? graph_.constant(node->input(1)) : nullptr;
    return least && !hides(least) && least->type() == DataType::Float32 && least->element_count() == 1;
  }

  const std::string& nearest() {
    if (nearest_.empty()) {
      nearest_ = names_.fresh("nearest_mask");
      patch_.add_initializers.emplace_back(nearest_, Tensor::scalar<float>(kNearest));
    }
    return nearest_;
  }

  struct Facts {
    ValueMap<bool> masks;
    ValueMap<DataType> types;
  };

  const Graph& graph_;
  NameSource names_;
  GraphPatch patch_;
  std::optional<Facts> facts_;
  std::map<ValueId, std::string> nearer_;  // by mask; empty: it stays
  std::string nearest_;
};

}  // namespace

GraphPatch near_masks(const Graph& graph) { return MaskWriter(graph).run(); }

}  // namespace detent::forms
