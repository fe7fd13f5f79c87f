#include "report/html/graph_view.h"

#include <map>
#include <unordered_map>
#include <utility>

namespace detent::html {
namespace {

class ViewMaker {
 public:
  ViewMaker(const PlanReport& plan, const std::vector<LintReport::Finding>& findings) : graph_(plan.graph) {
    for (const auto& edge : plan.edges) edges_[{edge.consumer, edge.slot}] = &edge;
    for (const auto& layer : plan.layers) layers_[layer.name] = &layer;
    for (const auto& finding : findings) findings_[finding.node].push_back(&finding);
  }

  GraphView make() {
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

  /// A Cast between floats without a pair or a finding of its own.
  bool pass_through(const GraphReport::Node& node) {
    if (node.op != "Cast" || node.type == NodeType::Other || node.inputs.size() != 1 || node.outputs.size() != 1)
      return false;
    const auto edge = edges_.find({node.name, 0});
    const auto source = sources_.find(node.inputs[0]);
    if (source == sources_.end() || findings_.contains(node.name) || (edge != edges_.end() && edge->second->pair))
      return false;
    Source through = source->second;
    through.cast = node.type;
    sources_[node.outputs[0]] = std::move(through);
    return true;
  }

  void add(const GraphReport::Node& node) {
    const size_t to = view_.nodes.size();
    const auto layer = layers_.find(node.name);
    const auto findings = findings_.find(node.name);
    view_.nodes.push_back({node.op, node.name, node.type, layer == layers_.end() ? nullptr : layer->second,
                           findings == findings_.end() ? decltype(GraphView::Node::findings){} : findings->second});
    for (size_t slot = 0; slot < node.inputs.size(); ++slot) {
      const auto edge = edges_.find({node.name, static_cast<int>(slot)});
      join(node.inputs[slot], to, edge == edges_.end() ? nullptr : edge->second);
    }
    for (const std::string& value : node.outputs)
      if (!value.empty()) sources_[value] = {to, value, std::nullopt};
  }

  void join(const std::string& value, size_t to, const PlanReport::Edge* edge) {
    const auto source = sources_.find(value);
    if (source == sources_.end()) return;
    view_.arcs.push_back({source->second.node, to, source->second.value, edge, source->second.cast});
  }

  const GraphReport& graph_;
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

std::string type_word(const std::optional<NodeType>& type) {
  if (!type) return {};
  switch (*type) {
    case NodeType::Codes: return "INT8";
    case NodeType::Float16: return "FP16";
    case NodeType::BFloat16: return "BF16";
    case NodeType::Float32: return "FP32";
    case NodeType::Other: break;
  }
  return "not float";
}

std::string type_class(const std::optional<NodeType>& type) {
  if (!type) return "end";
  switch (*type) {
    case NodeType::Codes: return "int8";
    case NodeType::Float16:
    case NodeType::BFloat16: return "fp16";
    case NodeType::Float32: return "fp32";
    case NodeType::Other: break;
  }
  return "other";
}

}  // namespace detent::html
