#include "lint/view/standalone_pairs.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "lint/reading/qdq_node.h"

namespace detent {

namespace {

/// Operators with weights, whose kernels read codes and write codes or floats.
constexpr std::array<std::string_view, 4> kProducts{"Conv", "ConvTranspose", "Gemm", "MatMul"};
/// Operators that become part of the weighted layer in front of them.
constexpr std::array<std::string_view, 9> kEpilogues{"Relu",      "Clip", "LeakyRelu",          "PRelu", "HardSigmoid",
                                                     "HardSwish", "Add",  "BatchNormalization", "Mul"};
/// Operators across which TensorRT moves pairs.
constexpr std::array<std::string_view, 8> kCopies{"MaxPool", "Reshape",   "Flatten", "Transpose",
                                                  "Squeeze", "Unsqueeze", "Concat",  "Identity"};

/// Layers of one fusion, at most: longer chains end the search.
constexpr int kLongest = 64;

bool is_in(std::span<const std::string_view> words, const Node& node) {
  return node.domain.empty() && std::ranges::find(words, node.op_type) != words.end();
}
bool quantizes(const Node& node) { return node.op_type == "QuantizeLinear"; }
bool takes_apart(const Node& node) { return node.op_type == "DequantizeLinear"; }

std::string described(const Node& node) { return "'" + node.name + "' (" + node.op_type + ")"; }

/// The pairs of a graph and the layers around them.
class PairWires {
 public:
  explicit PairWires(const Graph& graph) : graph_(graph) {}

  /// Returns why a quantizer stays a layer; "" where it does not.
  [[nodiscard]] std::string obstacle_of_quantizer(const Node& quantizer) const {
    const ValueId value = quantizer.input(0);
    const Node* producer = graph_.producer(value);
    if (!producer) return "the network's input is float";
    if (const Node* reader = float_reader(value)) return described(*reader) + " reads the same value as floats";
    if (graph_.value(value).is_output) return "the value is an output of the network";
    return writes_codes(value, kLongest) ? "" : described(*producer) + " in front of it computes in float";
  }

  /// Returns why a dequantizer stays a layer; "" where it does not.
  [[nodiscard]] std::string obstacle_of_dequantizer(const Node& dequantizer) const {
    return obstacle_behind(dequantizer.output(0), kLongest);
  }

  [[nodiscard]] bool reads_codes(const Node& product) const {
    return is_in(kProducts, product) && is_dequantized(product.input(0));
  }

  /// True where the layer around a weighted operator that reads codes writes codes too.
  [[nodiscard]] bool closes_with_codes(const Node& product) const {
    const Node* last = &product;
    for (;;) {
      const Value& output = graph_.value(last->output(0));
      if (output.is_output || output.uses.empty()) return false;
      const Node* reader = float_reader(output.id);
      if (!reader) return true;
      const bool part = is_in(kEpilogues, *reader) || reader->op_type == "MaxPool";
      if (output.uses.size() > 1 || !part || !others_are_codes(*reader, output.id)) return false;
      last = reader;
    }
  }

  /// True for a pair of an activation: weights and biases are constants.
  [[nodiscard]] bool is_constant(const Node& node) const {
    const Value& data = graph_.value(node.input(0));
    if (data.is_constant) return true;
    const Node* producer = graph_.producer(data.id);
    return takes_apart(node) && producer && quantizes(*producer) && is_constant(*producer);
  }

 private:
  [[nodiscard]] bool is_dequantized(ValueId value) const {
    const Node* producer = graph_.producer(value);
    return producer && takes_apart(*producer);
  }

  /// True where all inputs except `value` are constants or come from a dequantizer.
  [[nodiscard]] bool others_are_codes(const Node& node, ValueId value) const {
    return std::ranges::all_of(node.inputs, [&](ValueId input) {
      return input == value || input == kNoValue || graph_.value(input).is_constant || is_dequantized(input);
    });
  }

  /// Returns the first reader that wants floats. A quantizer behind a MaxPool or Concat moves in front of it.
  [[nodiscard]] const Node* float_reader(ValueId value, int left = kLongest) const {
    return once(float_readers_, value, [&] { return find_float_reader(value, left); });
  }
  [[nodiscard]] const Node* find_float_reader(ValueId value, int left) const {
    for (const Use& use : graph_.value(value).uses) {
      const Node& reader = graph_.node(use.node);
      if (quantizes(reader)) continue;
      const bool moves = left > 0 && is_in(kCopies, reader) && !graph_.value(reader.output(0)).is_output &&
                         !graph_.value(reader.output(0)).uses.empty() && !float_reader(reader.output(0), left - 1);
      if (!moves) return &reader;
    }
    return nullptr;
  }

  /// True where the layer that writes the value could write codes: it reads codes, or has a part in front that does.
  [[nodiscard]] bool writes_codes(ValueId value, int left) const {
    return once(codes_, value, [&] { return find_codes(value, left); });
  }
  [[nodiscard]] bool find_codes(ValueId value, int left) const {
    const Node* producer = graph_.producer(value);
    if (!producer || left == 0) return false;
    if (is_in(kProducts, *producer)) return is_dequantized(producer->input(0));
    const bool part = is_in(kEpilogues, *producer) || is_in(kCopies, *producer);
    return std::ranges::all_of(producer->inputs, [&](ValueId input) {
      if (input == kNoValue || graph_.value(input).is_constant || is_dequantized(input)) return true;
      const bool own = graph_.value(input).uses.size() == 1 || !float_reader(input);
      return part && own && writes_codes(input, left - 1);
    });
  }

  /// Returns why a value behind a dequantizer has to be float; "" where all readers take codes.
  [[nodiscard]] std::string obstacle_behind(ValueId value, int left) const {
    return once(obstacles_, value, [&] { return find_obstacle(value, left); });
  }
  [[nodiscard]] std::string find_obstacle(ValueId value, int left) const {
    if (left == 0) return "too many layers follow";
    if (graph_.value(value).is_output) return "the network's output is float";
    for (const Use& use : graph_.value(value).uses) {
      const Node& reader = graph_.node(use.node);
      if (is_in(kProducts, reader) || quantizes(reader)) continue;
      const std::string obstacle =
          is_in(kCopies, reader) ? obstacle_behind(reader.output(0), left - 1) : obstacle_of_output(reader);
      if (!obstacle.empty()) return obstacle;
    }
    return {};
  }

  /// Returns why a layer that adds or pools codes writes floats; "" where it writes codes.
  [[nodiscard]] std::string obstacle_of_output(const Node& node) const {
    const Node* last = &node;
    for (;;) {
      const Value& output = graph_.value(last->output(0));
      const Node* reader = float_reader(output.id);
      if (output.is_output || output.uses.empty()) return described(node) + " writes an output of the network";
      if (!reader) return {};
      const bool goes_on = output.uses.size() == 1 && (is_in(kEpilogues, *reader) || is_in(kCopies, *reader));
      if (!goes_on) return described(node) + " writes floats, since " + described(*reader) + " has no pair";
      last = reader;
    }
  }

  /// Returns the answer about a value, found once: diamonds of copies would take exponential time.
  template <class Answer, class Find>
  static Answer once(std::map<ValueId, Answer>& answers, ValueId value, const Find& find) {
    if (const auto known = answers.find(value); known != answers.end()) return known->second;
    return answers[value] = find();
  }

  const Graph& graph_;
  mutable std::map<ValueId, const Node*> float_readers_;
  mutable std::map<ValueId, bool> codes_;
  mutable std::map<ValueId, std::string> obstacles_;
};

}  // namespace

std::vector<StandalonePair> standalone_pairs(const Graph& file) {
  const PairWires wires(file);
  std::vector<StandalonePair> found;
  std::set<std::pair<ValueId, std::vector<float>>> quantized;  // values, and the scales of their quantizers
  for (const Node& node : file.nodes()) {
    if (!is_qdq(file, node) || wires.is_constant(node)) continue;
    std::string obstacle = quantizes(node) ? wires.obstacle_of_quantizer(node) : wires.obstacle_of_dequantizer(node);
    if (obstacle.empty()) continue;
    if (quantizes(node) && !quantized.emplace(node.input(0), describe_qdq(file, node).scales).second) continue;
    found.push_back({node.name, std::move(obstacle)});
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
