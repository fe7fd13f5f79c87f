#include "lint/view/standalone_pairs.h"

#include <map>
#include <utility>

#include "lint/reading/qdq_node.h"
#include "lint/view/pair_wires.h"

namespace detent {

std::vector<StandalonePair> standalone_pairs(const Graph& file) {
  const PairWires wires(file);
  std::vector<StandalonePair> found;
  std::map<std::pair<ValueId, std::vector<float>>, size_t> quantized;  // values with scales, and their first quantizer
  for (const Node& node : file.nodes()) {
    if (!is_qdq(file, node) || wires.is_constant(node)) continue;
    std::string obstacle = quantizes(node) ? wires.obstacle_of_quantizer(node) : wires.obstacle_of_dequantizer(node);
    if (obstacle.empty()) continue;
    if (quantizes(node)) {
      const auto [first, added] =
          quantized.try_emplace({*node.input(0), describe_qdq(file, node).scales}, found.size());
      if (!added) {
        found[first->second].merged.push_back(node.name);
        continue;
      }
    }
    const Node* quantizer = quantizes(node) ? &node : wires.quantizer_of(node);
    found.push_back({node.name, quantizer ? file.value(*quantizer->input(0)).name : std::string(), std::move(obstacle),
                     quantizes(node) && wires.float_shortcut(node)});
  }
  return found;
}

std::vector<Int8Product> int8_products(const Graph& file) {
  const PairWires wires(file);
  std::vector<Int8Product> found;
  for (const Node& node : file.nodes())
    if (wires.reads_codes(node)) found.push_back({node.name, wires.closes_with_codes(node)});
  return found;
}

}  // namespace detent
