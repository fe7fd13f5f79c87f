#include <algorithm>
#include <array>
#include <cctype>
#include <span>

#include "prepare/forms/forms.h"

namespace detent::forms {

namespace {

/// The activations of one direction. Source: ONNX docs/Operators.md, LSTM and GRU.
constexpr std::array<std::string_view, 3> kOfLstm{"sigmoid", "tanh", "tanh"};
constexpr std::array<std::string_view, 2> kOfGru{"sigmoid", "tanh"};

bool same_word(std::string_view written, std::string_view lower) {
  return std::ranges::equal(written, lower, [](unsigned char a, char b) { return std::tolower(a) == b; });
}

bool are_default(const std::vector<std::string>& activations, std::span<const std::string_view> defaults) {
  if (activations.empty() || activations.size() % defaults.size() != 0) return false;
  for (size_t i = 0; i < activations.size(); ++i)
    if (!same_word(activations[i], defaults[i % defaults.size()])) return false;
  return true;
}

}  // namespace

GraphPatch default_activations(const Graph& graph) {
  GraphPatch patch;
  patch.reason = "leave out default activations";
  for (const Node& node : graph.nodes()) {
    if ((node.op_type != "LSTM" && node.op_type != "GRU") || !node.domain.empty()) continue;
    const auto* written = node.find_attribute("activations");
    const auto* names = written ? std::get_if<std::vector<std::string>>(written) : nullptr;
    if (!names || node.has("activation_alpha") || node.has("activation_beta")) continue;
    const bool lstm = node.op_type == "LSTM";
    if (are_default(*names,
                    lstm ? std::span<const std::string_view>(kOfLstm) : std::span<const std::string_view>(kOfGru)))
      patch.remove_attributes.emplace_back(node.name, "activations");
  }
  return patch;
}

}  // namespace detent::forms
