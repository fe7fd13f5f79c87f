// Nodes that compute in FP32 in a model with INT8 or 16-bit floats. A weakly typed engine could choose faster kernels;
// a strongly typed one computes in the types of the file.

#include <fmt/core.h>

#include <algorithm>

#include "core/float_type.h"
#include "core/text.h"
#include "lint/findings/findings.h"
#include "place/draft/flow.h"

namespace detent::findings {
namespace {

/// Shares of the MACs, and of the bytes that nodes write, below which the finding is a note.
constexpr double kFewMacs = 0.01, kFewBytes = 0.05;
constexpr size_t kNamed = 4;

struct Rest {
  std::vector<std::pair<int64_t, NodeId>> nodes;  // bytes written, node
  std::vector<NodeId> layers;
  int64_t bytes = 0, all_bytes = 0, macs = 0, all_macs = 0;

  [[nodiscard]] double share_of_macs() const { return all_macs ? double(macs) / double(all_macs) : 0; }
  [[nodiscard]] double share_of_bytes() const { return all_bytes ? double(bytes) / double(all_bytes) : 0; }
};

bool moves_or_asks(OpKind kind) {
  return kind == OpKind::ShapeOf || kind == OpKind::Cast || kind == OpKind::QuantizeLinear ||
         kind == OpKind::DequantizeLinear || kind == OpKind::Constant || kind == OpKind::Sequence;
}

/// Returns the bytes of a value in the file; one byte an element where a pair stands on it.
int64_t bytes_of(const LintView& view, ValueId value, DataType type) {
  const auto shape = view.shapes().find(value);
  if (shape == view.shapes().end()) return 0;
  const int64_t width = view.found().has_pair(value) ? 1 : static_cast<int64_t>(byte_size(type));
  return shape->second.element_count() * width;
}

Rest find_rest(const LintView& view) {
  const LintedFile& file = view.file();
  const ValueMap<bool> int8 = int8_sources(view.found());
  Rest rest;
  for (const Node& node : view.graph().nodes()) {
    if (moves_or_asks(view.facts().kind(node.id))) continue;
    int64_t written = 0;
    bool in_float32 = false;
    for (const ValueId output : present(node.outputs)) {
      const DataType type = file.type_of(file.graph.find_value(view.value(output).name));
      if (type == DataType::Undefined) continue;
      const int64_t bytes = bytes_of(view, output, type);
      rest.all_bytes += bytes;
      if (type != DataType::Float32 || int8[output]) continue;
      written += bytes;
      in_float32 = true;
    }
    if (!in_float32) continue;
    rest.nodes.emplace_back(written, node.id);
    rest.bytes += written;
    if (const LayerDecision* layer = view.found_plan().find_layer(node.id); layer && !layer->runs_on_codes()) {
      rest.macs += layer->macs;
      rest.layers.push_back(node.id);
    }
  }
  rest.all_macs = view.found_plan().coverage.macs;
  std::ranges::stable_sort(rest.nodes, std::greater{}, [](const auto& node) { return node.first; });
  return rest;
}

std::string names_of(const LintView& view, const Rest& rest) {
  return listed(rest.nodes, kNamed, [&](const auto& node) { return view.facts().describe(node.second); });
}

}  // namespace

void float32_rest(const LintView& view, FindingLog& log) {
  if (view.reading().nodes.empty() && !view.file().holds_half()) return;  // a model in FP32 only
  const Rest rest = find_rest(view);
  if (rest.nodes.empty()) return;
  const std::string count = plural(rest.nodes.size(), "node computes", "nodes compute");
  std::string message = count + " in FP32: " + names_of(view, rest);
  if (rest.all_bytes > 0)
    message += fmt::format("; {:.1f} % of the MACs of weighted layers and {:.1f} % of the bytes that nodes write",
                           100 * rest.share_of_macs(), 100 * rest.share_of_bytes());
  const bool few = rest.all_bytes > 0 && rest.share_of_macs() < kFewMacs && rest.share_of_bytes() < kFewBytes;
  const bool chosen = view.file().types_chosen;
  message += chosen ? "; they were kept in FP32 when the file was written"
                    : "; only samples show which of them would overflow in 16 bits";
  log.add(
      view.node(rest.nodes.front().second).name, message,
      chosen
          ? "nothing; --float-type chose them, or the report of the command that wrote the file has each node's reason"
          : "`detent cast --data` converts the file and keeps its pairs: samples show which nodes must stay FP32",
      rest.layers, few || chosen ? FindingLevel::Note : FindingLevel::Warning);
}

}  // namespace detent::findings
