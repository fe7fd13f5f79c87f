#include "report/html/graph_view.h"

#include <map>
#include <unordered_map>
#include <utility>

namespace detent::html {
namespace {

class ViewMaker {
 public:
  ViewMaker(const PlanReport& plan, const std::vector<LintReport::Finding>& findings)
      : graph_(plan.graph), codes_(name_of(plan.coverage.type)) {
    for (const auto& edge : plan.edges) edges_[{edge.consumer, edge.slot}] = &edge;
    for (const auto& layer : plan.layers) layers_[layer.name] = &layer;
    for (const auto& finding : findings) findings_[finding.node].push_back(&finding);
  }

  GraphView make() {
    view_.codes = codes_;
    add_inputs();
    for (const auto& node : graph_.nodes)
      if (!pass_through(node)) add(node);
    for (const std::string& value : graph_.outputs) {
      const size_t to = view_.nodes.size();
      view_.nodes.push_back({"Output", value, std::nullopt});
      join(value, to, nullptr);
    }
    return std::move(view_);
  }

 private:
  struct Source {
    size_t node = 0;
    std::string value;
    std::optional<NodeType> cast;
  };

  void add_inputs() {
    std::unordered_map<std::string, bool> made;
    for (const auto& node : graph_.nodes)
      for (const std::string& value : node.outputs) made[value] = true;
    for (const auto& node : graph_.nodes)
      for (const std::string& value : node.inputs)
        if (!value.empty() && made.emplace(value, true).second) {
          sources_[value] = {view_.nodes.size(), value, std::nullopt};
          view_.nodes.push_back({"Input", value, std::nullopt});
        }
  }

  /// Makes a Cast between floats a mark of its reader. Returns false for other nodes, and if it has a pair or finding.
  bool pass_through(const GraphReport::Node& node) {
    if (node.op != "Cast" || node.type == NodeType::Other || node.inputs.size() != 1 || node.outputs.size() != 1)
      return false;
    const PlanReport::Edge* edge = edges_[{node.name, 0}];
    const auto source = sources_.find(node.inputs[0]);
    if (source == sources_.end() || !findings_[node.name].empty() || (edge && is_pair(edge->reads))) return false;
    Source through = source->second;
    through.cast = node.type;
    sources_[node.outputs[0]] = std::move(through);
    return true;
  }

  void add(const GraphReport::Node& node) {
    const size_t to = view_.nodes.size();
    view_.nodes.push_back({node.op, node.name, node.type, layers_[node.name], findings_[node.name]});
    for (size_t slot = 0; slot < node.inputs.size(); ++slot)
      join(node.inputs[slot], to, edges_[{node.name, static_cast<int>(slot)}]);
    for (const std::string& value : node.outputs)
      if (!value.empty()) sources_[value] = {to, value, std::nullopt};
  }

  void join(const std::string& value, size_t to, const PlanReport::Edge* edge) {
    const auto source = sources_.find(value);
    if (source == sources_.end()) return;
    view_.arcs.push_back({source->second.node, to, source->second.value, edge, source->second.cast});
  }

  const GraphReport& graph_;
  std::string codes_;
  std::map<std::pair<std::string, int>, const PlanReport::Edge*> edges_;
  std::unordered_map<std::string, const PlanReport::Layer*> layers_;
  std::unordered_map<std::string, std::vector<const LintReport::Finding*>> findings_;
  std::unordered_map<std::string, Source> sources_;  // by value
  GraphView view_;
};

}  // namespace

GraphView view_graph(const PlanReport& plan, const std::vector<LintReport::Finding>& findings) {
  return ViewMaker(plan, findings).make();
}

namespace {

struct TypeLook {
  const char *word, *colour;
};
constexpr TypeLook kEnd{"", "end"};
/// Looks by NodeType; codes have the word of their type.
constexpr TypeLook kLooks[] = {
    {"INT8", "int8"}, {"FP16", "fp16"}, {"BF16", "fp16"}, {"FP32", "fp32"}, {"not float", "other"}};

const TypeLook& look_of(const std::optional<NodeType>& type) {
  return type ? kLooks[static_cast<size_t>(*type)] : kEnd;
}

}  // namespace

std::string GraphView::word(const std::optional<NodeType>& type) const {
  return type == NodeType::Codes ? codes : look_of(type).word;
}
std::string type_class(const std::optional<NodeType>& type) { return look_of(type).colour; }

}  // namespace detent::html
