#include "prepare/function_calls.h"

#include <algorithm>
#include <map>

#include "core/memory_limit.h"
#include "core/saturated.h"
#include "detent/base/error.h"

namespace detent {

namespace {

// Fields of newer releases of onnx.proto, which libonnx 1.12 keeps as unknown ones.
constexpr int kFunctionOverload = 13;  // FunctionProto.overload
constexpr int kNodeOverload = 8;       // NodeProto.overload

std::string overload_of(const google::protobuf::Message& message, int number) {
  const auto given = unknown_field(message, number);
  return given.empty() ? std::string() : given.back();
}

/// Size of a function once every call in it is replaced. Doubles, because they grow beyond any integer without
/// wrapping.
struct Cost {
  double nodes = 0, bytes = 0;
  int depth = 0;
};

struct Body {
  Cost cost;
  std::vector<const onnx::FunctionProto*> calls;
  bool open = false, done = false;
};

class CallCosts {
 public:
  explicit CallCosts(const onnx::ModelProto& model) {
    for (const onnx::FunctionProto& function : model.functions()) functions_.emplace(key_of(function), &function);
  }

  void check(const onnx::GraphProto& graph) {
    const Body main = body_of(graph.node());
    for (const onnx::FunctionProto* called : main.calls) measure(called);
    Cost total = main.cost;
    for (const onnx::FunctionProto* called : main.calls) add(bodies_.at(called).cost, total);
    refuse_beyond(total, "the model");
  }

 private:
  template <class NodeList>
  Body body_of(const NodeList& nodes) const {
    Body body;
    visit_nodes(nodes, [&](const onnx::NodeProto& node) {
      if (const auto called = functions_.find(key_of(node)); called != functions_.end())
        body.calls.push_back(called->second);
      body.cost.nodes += 1;
    });
    for (const onnx::NodeProto& node : nodes) body.cost.bytes += static_cast<double>(node.ByteSizeLong());
    return body;
  }

  static void add(const Cost& called, Cost& total) {
    total.nodes += called.nodes;
    total.bytes += called.bytes;
    total.depth = std::max(total.depth, called.depth);
  }

  static void refuse_beyond(const Cost& cost, const std::string& what) {
    const auto refuse = [&](const std::string& bound) {
      throw Error(ErrorCode::InvalidModel, what + ": its calls of functions " + bound);
    };
    if (cost.depth > kDeepestCalls) refuse("are nested deeper than " + std::to_string(kDeepestCalls));
    if (cost.nodes > kMostNodes)
      refuse("stand for more than " + std::to_string(static_cast<int64_t>(kMostNodes)) + " nodes");
    if (cost.bytes > kMostBytes) refuse("stand for more than 2 GiB of nodes");
    check_memory(saturated<uint64_t>(cost.nodes * kMemoryOfNode), [&] {
      return what + ": a body of " + std::to_string(static_cast<int64_t>(cost.nodes)) + " nodes, its calls replaced,";
    });
  }

  /// Measures depth first with an explicit stack: a file may hold chains of any length.
  void measure(const onnx::FunctionProto* root) {
    std::vector<std::pair<const onnx::FunctionProto*, size_t>> path;
    const auto enter = [&](const onnx::FunctionProto* function) {
      const auto [found, added] = bodies_.try_emplace(function);
      if (found->second.done) return;
      if (found->second.open) throw Error(ErrorCode::InvalidModel, describe(key_of(*function)) + " calls itself");
      found->second = body_of(function->node());
      found->second.open = true;
      path.emplace_back(function, 0);
    };
    enter(root);
    while (!path.empty()) {
      auto& [function, next] = path.back();
      Body& body = bodies_.at(function);
      if (next < body.calls.size()) {
        enter(body.calls[next++]);
        continue;
      }
      for (const onnx::FunctionProto* called : body.calls) add(bodies_.at(called).cost, body.cost);
      body.cost.depth += 1;
      body.open = false;
      body.done = true;
      refuse_beyond(body.cost, describe(key_of(*function)));
      path.pop_back();
    }
  }

  std::map<FunctionKey, const onnx::FunctionProto*> functions_;
  std::map<const onnx::FunctionProto*, Body> bodies_;
};

}  // namespace

std::vector<std::string> unknown_field(const google::protobuf::Message& message, int number) {
  const google::protobuf::UnknownFieldSet& fields = message.GetReflection()->GetUnknownFields(message);
  std::vector<std::string> found;
  for (int i = 0; i < fields.field_count(); ++i)
    if (fields.field(i).number() == number &&
        fields.field(i).type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED)
      found.push_back(fields.field(i).length_delimited());
  return found;
}

FunctionKey key_of(const onnx::FunctionProto& function) {
  return {canonical(function.domain()), function.name(), overload_of(function, kFunctionOverload)};
}

FunctionKey key_of(const onnx::NodeProto& node) {
  return {canonical(node.domain()), node.op_type(), overload_of(node, kNodeOverload)};
}

std::string describe(const FunctionKey& key) { return "function '" + key[0] + "." + key[1] + "'"; }

void check_calls(const onnx::ModelProto& model) {
  if (model.functions_size() > 0) CallCosts(model).check(model.graph());
}

}  // namespace detent
