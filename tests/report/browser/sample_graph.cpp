#include "sample_graph.h"

namespace detent {
namespace {

class GraphMaker {
 public:
  PlanReport make(size_t nodes) {
    report_.model = "models/deep.onnx", report_.target = "tensorrt:11.0", report_.opset = 17;
    std::string value = "image";
    for (size_t block = 0; report_.graph.nodes.size() < nodes; ++block) value = add_block(block, value);
    add("Shape", NodeType::Other, {value}, false);
    report_.graph.outputs = {add("Softmax", NodeType::Float32, {value}, false)};
    report_.nodes = report_.graph.nodes.size();
    return report_;
  }

 private:
  std::string add(const std::string& op, NodeType type, const std::vector<std::string>& inputs, bool pair) {
    const std::string name = "/features/<" + std::to_string(report_.graph.nodes.size()) + ">/" + op + "&x";
    report_.graph.nodes.push_back({name, op, type, inputs, {name + "_output"}});
    for (size_t slot = 0; slot < inputs.size(); ++slot)
      report_.edges.push_back({inputs[slot], name, op, static_cast<int>(slot), pair ? Reads::Pair : Reads::Float,
                               std::nullopt, pair ? "R1 weighted op" : "-",
                               pair ? "read by an INT8 kernel" : "no rule asks for it"});
    if (op == "Conv")
      report_.layers.push_back({name, op, type == NodeType::Codes ? Runs::Int8 : Runs::Float, "R1 weighted op",
                                pair ? "quantized input and weight" : "left float", 1000, 10});
    return name + "_output";
  }

  /// Adds two convolutions around a skip; every fifth block has four branches, every third is FP16 after a cast.
  std::string add_block(size_t block, const std::string& input) {
    const bool half = block % 3 == 2;
    const NodeType type = half ? NodeType::Float16 : NodeType::Codes;
    const std::string data = half ? add("Cast", NodeType::Float16, {input}, false) : input;
    const std::string first = add("Conv", type, {data}, !half);
    std::string second = add("Relu", half ? NodeType::Float16 : NodeType::Float32, {first}, false);
    if (block % 5 == 4) {
      std::vector<std::string> branches;
      for (int i = 0; i < 4; ++i) branches.push_back(add("Conv", type, {second}, !half));
      second = add("Concat", type, branches, !half), second = add("LayerNormalization", type, {second}, !half);
    }
    return add("Add", type, {add("Conv", type, {second}, !half), data}, !half);
  }

  PlanReport report_;
};

}  // namespace

PlanReport made_up_graph(size_t nodes) { return GraphMaker().make(nodes); }

}  // namespace detent
