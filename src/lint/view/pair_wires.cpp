#include "lint/view/pair_wires.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace detent {

namespace {

constexpr std::array<std::string_view, 4> kProducts{"Conv", "ConvTranspose", "Gemm", "MatMul"};
constexpr std::array<std::string_view, 9> kEpilogues{"Relu",      "Clip", "LeakyRelu",          "PRelu", "HardSigmoid",
                                                     "HardSwish", "Add",  "BatchNormalization", "Mul"};
constexpr std::array<std::string_view, 8> kCopies{"MaxPool", "Reshape",   "Flatten", "Transpose",
                                                  "Squeeze", "Unsqueeze", "Concat",  "Identity"};
/// Operators of codes between the halves of a pair, beside those that moves_pairs() knows.
constexpr std::array<std::string_view, 4> kInsidePairs{"Clip", "Cast", "Slice", "Split"};

/// Layers of one fusion, at most: longer chains end the search.
constexpr int kLongest = 64;

bool is_in(std::span<const std::string_view> words, const Node& node) {
  return node.domain.empty() && std::ranges::find(words, node.op_type) != words.end();
}

std::string described(const Node& node) { return "'" + node.name + "' (" + node.op_type + ")"; }

/// Returns the answer about a value, found once: diamonds of copies would take exponential time.
template <class Answer, class Find>
Answer once(std::map<ValueId, Answer>& answers, ValueId value, const Find& find) {
  if (const auto known = answers.find(value); known != answers.end()) return known->second;
  return answers[value] = find();
}

}  // namespace

bool is_product(const Node& node) { return is_in(kProducts, node); }
bool is_epilogue(const Node& node) { return is_in(kEpilogues, node); }
bool quantizes(const Node& node) { return node.op_type == "QuantizeLinear"; }
bool takes_apart(const Node& node) { return node.op_type == "DequantizeLinear"; }

bool moves_pairs(const Node& node) {
  // engines/trex-notebook-int8-yolo: /neck/conv1/Conv writes Int8 for /neck/Resize, whose quantizer stands behind it.
  const bool nearest =
      node.domain.empty() && node.op_type == "Resize" && node.string_or("mode", "nearest") == "nearest";
  return nearest || is_in(kCopies, node);
}

std::string PairWires::obstacle_of_quantizer(const Node& quantizer) const {
  const MaybeValue value = quantizer.input(0);
  const Node* maker = producer(value);
  if (!maker) return "the network's input is float";
  if (const Node* reader = float_reader(value)) return described(*reader) + " reads the same value as floats";
  if (graph_.value(*value).is_output) return "the value is an output of the network";
  if (writes_codes(value)) return {};
  if (const Node* add = shortcut_in_front(value))
    return described(*add) + " in front of it adds a shortcut without a pair";
  return described(*maker) + " in front of it computes in float";
}

std::string PairWires::obstacle_of_dequantizer(const Node& dequantizer) const {
  return obstacle_behind(*dequantizer.output(0), kLongest);
}

const Node* PairWires::float_shortcut(const Node& quantizer) const {
  const Node* reader = float_reader(quantizer.input(0));
  if (reader) return reader->op_type == "Add" ? reader : nullptr;
  return writes_codes(quantizer.input(0)) ? nullptr : shortcut_in_front(quantizer.input(0));
}

/// Returns the Add in the layer in front, if that reads codes and its other input is float.
const Node* PairWires::shortcut_in_front(MaybeValue value) const {
  const Node* node = producer(value);
  for (int left = kLongest; left > 0 && node && is_epilogue(*node); --left) {
    const bool coded = std::ranges::any_of(present(node->inputs), [&](ValueId input) { return writes_codes(input); });
    if (node->op_type == "Add") return coded ? node : nullptr;
    const MaybeValue gated = gated_value(*node);
    node = producer(gated ? gated : node->input(0));
  }
  return nullptr;
}

bool PairWires::reads_codes(const Node& product) const {
  return is_product(product) && is_dequantized(product.input(0));
}

bool PairWires::closes_with_codes(const Node& product) const {
  const Node* last = &product;
  for (;;) {
    const Value& output = graph_.value(*last->output(0));
    if (output.is_output || output.uses.empty()) return false;
    if (!float_reader(output.id)) return true;
    const Node* reader = part_behind(output.id);
    if (!reader || !(is_epilogue(*reader) || reader->op_type == "MaxPool")) return false;
    if (gated_value(*reader) != output.id && !others_are_codes(*reader, output.id)) return false;
    last = reader;
  }
}

/// Returns x of a Mul that computes x * Sigmoid(x) or x * HardSigmoid(x), if nothing else reads x; else kNoValue.
/// TensorRT writes such functions into Convs (ParameterSubType PointWiseExpression).
MaybeValue PairWires::gated_value(const Node& node) const {
  if (!node.domain.empty() || node.op_type != "Mul") return kNoValue;
  for (const int slot : {0, 1}) {
    const Node* gate = producer(node.input(slot));
    const bool gates = gate && (gate->op_type == "Sigmoid" || gate->op_type == "HardSigmoid") &&
                       gate->input(0) == node.input(1 - slot) && graph_.value(*node.input(slot)).uses.size() == 1;
    if (gates && graph_.value(*gate->input(0)).uses.size() == 2) return gate->input(0);
  }
  return kNoValue;
}

const Node* PairWires::part_behind(MaybeValue id) const {
  if (!id) return nullptr;
  const Value& value = graph_.value(*id);
  if (value.is_output || value.uses.empty() || value.uses.size() > 2) return nullptr;
  if (value.uses.size() == 1) return &graph_.node(value.uses.front().node);
  for (const Use& use : value.uses)
    if (gated_value(graph_.node(use.node)) == id) return &graph_.node(use.node);
  return nullptr;
}

bool PairWires::is_constant(const Node& node) const {
  const Value& data = graph_.value(*node.input(0));
  if (data.is_constant) return true;
  const Node* maker = takes_apart(node) ? quantizer_of(node) : nullptr;
  return maker && is_constant(*maker);
}

const Node* PairWires::quantizer_of(const Node& dequantizer) const {
  const Node* maker = producer(dequantizer.input(0));
  for (int left = kLongest; left > 0 && maker; --left) {
    if (quantizes(*maker)) return maker;
    const bool inside = moves_pairs(*maker) || is_in(kInsidePairs, *maker);
    maker = inside ? producer(maker->input(0)) : nullptr;
  }
  return nullptr;
}

bool PairWires::is_dequantized(MaybeValue value) const { return value && is_dequantized(*value, kLongest); }

bool PairWires::is_dequantized(ValueId value, int left) const {
  return once(dequantized_, value, [&] {
    const Node* maker = producer(value);
    if (!maker || takes_apart(*maker) || left == 0 || !moves_pairs(*maker)) return maker && takes_apart(*maker);
    if (maker->op_type != "Concat") return maker->input(0) && is_dequantized(*maker->input(0), left - 1);
    return std::ranges::all_of(present(maker->inputs), [&](ValueId input) { return is_dequantized(input, left - 1); });
  });
}

/// True where all inputs except `value` are constants or come from a dequantizer.
bool PairWires::others_are_codes(const Node& node, MaybeValue value) const {
  return std::ranges::all_of(present(node.inputs), [&](ValueId input) {
    return input == value || graph_.value(input).is_constant || is_dequantized(input);
  });
}

const Node* PairWires::producer(MaybeValue value) const { return graph_.producer(value); }

const Node* PairWires::float_reader(MaybeValue value) const { return value ? float_reader(*value, kLongest) : nullptr; }

const Node* PairWires::float_reader(ValueId value, int left) const {
  return once(float_readers_, value, [&] { return find_float_reader(value, left); });
}

const Node* PairWires::find_float_reader(ValueId value, int left) const {
  for (const Use& use : graph_.value(value).uses) {
    const Node& reader = graph_.node(use.node);
    if (quantizes(reader)) continue;
    const bool moves = left > 0 && moves_pairs(reader) && !graph_.value(*reader.output(0)).is_output &&
                       !graph_.value(*reader.output(0)).uses.empty() && !float_reader(*reader.output(0), left - 1);
    if (!moves) return &reader;
  }
  return nullptr;
}

bool PairWires::writes_codes(MaybeValue value) const { return value && writes_codes(*value, kLongest); }

bool PairWires::writes_codes(ValueId value, int left) const {
  return once(codes_, value, [&] { return find_codes(value, left); });
}

bool PairWires::find_codes(ValueId value, int left) const {
  const Node* maker = producer(value);
  if (!maker || left == 0) return false;
  if (is_product(*maker)) return is_dequantized(maker->input(0));
  if (const MaybeValue gated = gated_value(*maker)) return writes_codes(*gated, left - 1);
  const bool part = is_epilogue(*maker) || moves_pairs(*maker);
  return std::ranges::all_of(present(maker->inputs), [&](ValueId input) {
    if (graph_.value(input).is_constant || is_dequantized(input)) return true;
    const bool own = graph_.value(input).uses.size() == 1 || !float_reader(input);
    return part && own && writes_codes(input, left - 1);
  });
}

/// Returns why a value behind a dequantizer has to be float; "" where all readers take codes.
std::string PairWires::obstacle_behind(ValueId value, int left) const {
  return once(obstacles_, value, [&] { return find_obstacle(value, left); });
}

std::string PairWires::find_obstacle(ValueId value, int left) const {
  if (left == 0) return "too many layers follow";
  if (graph_.value(value).is_output) return "the network's output is float";
  for (const Use& use : graph_.value(value).uses) {
    const Node& reader = graph_.node(use.node);
    if (is_product(reader) || quantizes(reader)) continue;
    const std::string obstacle =
        moves_pairs(reader) ? obstacle_behind(*reader.output(0), left - 1) : obstacle_of_output(reader);
    if (!obstacle.empty()) return obstacle;
  }
  return {};
}

/// Returns why a layer that adds or pools codes writes floats; "" where it writes codes.
std::string PairWires::obstacle_of_output(const Node& node) const {
  const Node* last = &node;
  for (;;) {
    if (!last->output(0)) return described(*last) + " writes floats";  // an LSTM may leave out its first output
    const Value& output = graph_.value(*last->output(0));
    const Node* reader = float_reader(output.id);
    if (output.is_output || output.uses.empty()) return described(node) + " writes an output of the network";
    if (!reader) return {};
    const bool goes_on = output.uses.size() == 1 && (is_epilogue(*reader) || moves_pairs(*reader));
    if (!goes_on) return described(node) + " writes floats, since " + described(*reader) + " has no pair";
    last = reader;
  }
}

}  // namespace detent
