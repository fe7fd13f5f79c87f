#include "rewrite/check_qdq_file.h"

#include <algorithm>
#include <cmath>

#include "core/index.h"
#include "ops/traits.h"
#include "rewrite/check_content.h"
#include "rewrite/dynamic_lstm.h"
#include "rewrite/dynamic_product.h"

namespace detent {

namespace {

/// Returns the values that no node of a pair writes: the pair of a graph output ends with the output's name.
std::set<std::string> values_outside_pairs(const PromisedFile& promised) {
  std::set<std::string> values = promised.values;
  for (const auto& [output, group] : promised.output_pairs) values.erase(output);
  return values;
}

/// Returns the values that a QuantizeLinear or DequantizeLinear of the planned graph writes: weights alone, and those
/// that bodies read. The plan leaves them as they are.
std::set<std::string> weights_alone(const PromisedFile& promised) {
  std::set<std::string> values;
  for (const PromisedNode& node : promised.nodes)
    if (node.kind == OpKind::DequantizeLinear || node.kind == OpKind::QuantizeLinear) values.insert(node.output);
  return values;
}

/// Compares a written graph with its promise.
class FileCheck {
 public:
  FileCheck(const Graph& graph, const PromisedFile& promised, const QdqCheckOptions& options)
      : graph_(graph), promised_(promised), options_(options), outside_pairs_(values_outside_pairs(promised)),
        alone_(weights_alone(promised)), written_(graph, outside_pairs_, alone_), used_(written_.pairs().size(), false),
        flaws_(written_.flaws()) {}

  std::vector<Flaw> run() {
    for (const Node& node : graph_.nodes()) check_numbers(node);
    for (const PromisedNode& node : promised_.nodes) check_node(node);
    check_outputs();
    check_groups();
    check_nothing_else();
    return std::move(flaws_);
  }

 private:
  void add(const Node& node, const std::string& what) { flaws_.push_back({describe(node), what}); }
  [[nodiscard]] const std::string& name(ValueId id) const { return graph_.value(id).name; }
  [[nodiscard]] const Node& dequantize(int pair) const { return graph_.node(at(pair).dequantize); }
  [[nodiscard]] const WrittenPair& at(int pair) const { return written_.pairs()[static_cast<size_t>(pair)]; }

  void check_numbers(const Node& node) {
    const OpKind kind = traits_of(graph_, node).kind;
    if (kind != OpKind::QuantizeLinear && kind != OpKind::DequantizeLinear) return;
    if (alone_.contains(name(*node.output(0)))) return;
    const std::vector<Flaw> found = find_grid_flaws(graph_, node, *promised_.target, promised_.type);
    flaws_.insert(flaws_.end(), found.begin(), found.end());
  }

  /// Returns the node that writes a value of the planned graph, before the pair of a graph output.
  [[nodiscard]] const Node* find_writer(const PromisedNode& promised) const {
    const MaybeValue id = graph_.find_value(promised.output);
    if (!id) return nullptr;
    const int pair = written_.find_by_result(id);
    if (pair < 0) return graph_.producer(id);
    // A Cast in front of the pair may be the promised node.
    if (promised.kind == OpKind::Cast && at(pair).cast)
      if (const Node& cast = graph_.node(*at(pair).cast); name(*cast.input(0)) == promised.inputs.front().value)
        return &cast;
    return graph_.producer(at(pair).source);
  }

  /// Checks the nodes that stand for a product whose data get their codes at run time.
  void check_dynamic(const PromisedNode& promised) {
    const std::string where = promised.op_type + " '" + promised.name + "'";
    const auto found = find_dynamic_product(graph_, graph_.find_value(promised.output));
    if (!found) return flaws_.push_back({where, "has not become a MatMulInteger of codes that are made at run time"});
    seen_.insert(found->nodes.begin(), found->nodes.end());
    const PromisedInput &data = promised.inputs[0], &weight = promised.inputs[1];
    if (name(found->data) != source_name(data.value))
      flaws_.push_back({where, "reads '" + name(found->data) + "' instead of '" + data.value + "'"});
    const bool has_bias = promised.inputs.size() > 2 && !promised.inputs[2].value.empty();
    if (has_bias != static_cast<bool>(found->bias) || (has_bias && name(*found->bias) != promised.inputs[2].value))
      flaws_.push_back({where, "has another bias than that of the model"});
    const bool turned = weight.axis == 0;
    const Tensor codes = turned ? transposed(*found->codes) : *found->codes;
    if (codes.shape() != weight.shape)
      return flaws_.push_back({where, "does not multiply by the quantized weight '" + weight.value + "'"});
    const int64_t scales = found->scales->element_count();
    if (scales != (options_.per_tensor_weights ? 1 : weight.shape[turned ? 0 : 1]))
      flaws_.push_back({where, "has " + std::to_string(scales) + " scales for its weight"});
    if (weight.content.empty_handle()) return;
    const Tensor points = found->zero_points(found->scales->shape());
    const WrittenGrid grid{found->scales, &points, turned ? 0 : 1, true};
    if (const std::string flaw = content_flaw(weight.content, codes, grid); !flaw.empty())
      flaws_.push_back({where, "its weight '" + weight.value + "' " + flaw});
  }

  /// Checks the node that stands for an LSTM with INT8 weights.
  void check_dynamic_lstm(const PromisedNode& promised) {
    const std::string where = promised.op_type + " '" + promised.name + "'";
    const auto found = find_dynamic_lstm(graph_, graph_.find_value(promised.output));
    if (!found) return flaws_.push_back({where, "has not become a DynamicQuantizeLSTM with INT8 weights"});
    seen_.insert(found->node->id);
    constexpr size_t kOperands = 8;
    for (size_t slot = 0; slot < kOperands; ++slot) {
      const MaybeValue read = found->node->input(slot);
      const std::string wanted = slot < promised.inputs.size() ? promised.inputs[slot].value : "";
      const bool weight = slot == 1 || slot == 2;
      if (!weight && (read ? name(*read) : "") != source_name(wanted))
        flaws_.push_back({where, "reads another value in input " + std::to_string(slot)});
      if (weight) check_rows(where, slot == 1 ? found->w : found->r, promised.inputs[slot]);
    }
  }

  void check_rows(const std::string& where, const WrittenLstm::Rows& rows, const PromisedInput& weight) {
    const Shape& shape = weight.shape;
    if (shape.rank() != 3 || rows.codes.shape() != Shape{shape[0] * shape[1], shape[2]})
      return flaws_.push_back({where, "does not multiply by the quantized weight '" + weight.value + "'"});
    if (weight.content.empty_handle()) return;
    const WrittenGrid grid{&rows.scales, &rows.zero_points, 0, true};
    if (const std::string flaw = content_flaw(lstm_rows(weight.content), rows.codes, grid); !flaw.empty())
      flaws_.push_back({where, "its weight '" + weight.value + "' " + flaw});
  }

  void check_node(const PromisedNode& promised) {
    if (promised.dynamic && promised.op_type == "LSTM") return check_dynamic_lstm(promised);
    if (promised.dynamic) return check_dynamic(promised);
    const bool constant = promised.kind == OpKind::Constant;
    const Node* node = find_writer(promised);
    if (!node || node->op_type != promised.op_type) {
      // Unread constants are removed.
      if (!constant) flaws_.push_back({promised.op_type + " '" + promised.name + "'", "is missing in the file"});
      return;
    }
    seen_.insert(node->id);
    for (size_t slot = 0; slot < promised.inputs.size(); ++slot) check_input(*node, slot, promised.inputs[slot]);
  }

  void check_input(const Node& node, size_t slot, const PromisedInput& promised) {
    const MaybeValue value = node.input(slot);
    const std::string where = "input " + std::to_string(slot);
    if (promised.value.empty() || !value) {
      if (promised.read != ReadAs::Bias && promised.value.empty() != (!value))
        add(node, where + (!value ? " is left out" : " should be left out"));
      return;
    }
    const int pair = written_.find_by_result(value);
    check_content(node, where, *value, pair, promised);
    switch (promised.read) {
      case ReadAs::Value: return check_float(node, where, *value, pair, promised);
      case ReadAs::Pair: return check_pair(node, where, *value, pair, promised);
      case ReadAs::Weight: return check_weight(node, where, pair, promised);
      case ReadAs::Bias: return check_bias(node, where, *value, pair);
    }
  }

  /// Checks that the slot's constant, with or without a pair, has the model's numbers.
  void check_content(const Node& node, const std::string& where, ValueId value, int pair,
                     const PromisedInput& promised) {
    if (promised.content.empty_handle()) return;
    const bool codes_given = pair >= 0 && !at(pair).source;
    const Tensor* written = graph_.constant(pair < 0 ? value : codes_given ? at(pair).codes : at(pair).source);
    if (!written || written->shape() != promised.content.shape()) return;  // reported elsewhere
    const std::string flaw = codes_given ? content_flaw(promised.content, *written, at(pair).grid, promised.mask)
                                         : content_flaw(promised.content, *written);
    if (!flaw.empty()) add(node, where + ", '" + promised.value + "', " + flaw);
  }

  /// Returns the value that readers of a graph output with a pair read: the one before the pair.
  [[nodiscard]] std::string source_name(const std::string& value) const {
    const int pair = promised_.output_pairs.contains(value) ? written_.find_by_result(graph_.find_value(value)) : -1;
    return pair < 0 || !at(pair).source ? value : name(*at(pair).source);
  }

  /// True when a pair begins with the value, or before the Cast that writes it.
  [[nodiscard]] bool is_source(ValueId source, const PromisedInput& promised) const {
    return name(source) == source_name(promised.value) ||
           (!promised.cast_of.empty() && name(source) == promised.cast_of);
  }

  void check_float(const Node& node, const std::string& where, ValueId value, int pair, const PromisedInput& promised) {
    if (name(value) == source_name(promised.value)) return;
    add(node, where + " reads " + (pair >= 0 ? "a pair" : "'" + name(value) + "'") + "; the plan keeps '" +
                  promised.value + "' float there");
  }

  void check_pair(const Node& node, const std::string& where, ValueId value, int pair, const PromisedInput& promised) {
    if (pair < 0)
      return add(node,
                 where + " reads '" + name(value) + "' without a pair; the plan puts one on '" + promised.value + "'");
    use(pair, promised.value, promised.scale_group, promised.second);
    const WrittenPair& written = at(own_pair(pair, promised));
    const bool right = written.source ? is_source(*written.source, promised)
                                      : promised.constant && graph_.constant(written.codes) &&
                                            graph_.constant(written.codes)->shape() == promised.shape;
    if (!right) add(node, where + " reads another value's pair; the plan puts one on '" + promised.value + "'");
    const size_t bits = promised.wide ? 16 : 8;
    const WrittenGrid& grid = at(pair).grid;
    if (grid.zero_point && bit_size(grid.zero_point->type()) != bits)
      add(dequantize(pair), "its codes are " + std::string(name_of(grid.zero_point->type())) + "; the plan has " +
                                std::to_string(bits) + " bits for '" + promised.value + "'");
    if (grid.scale && grid.scale->element_count() != 1)
      add(dequantize(pair), "an activation has " + std::to_string(grid.scale->element_count()) + " scales");
  }

  /// Returns the pair in front of a second one, which converts its codes to another width; otherwise the pair itself.
  [[nodiscard]] int own_pair(int pair, const PromisedInput& promised) {
    if (!promised.second || !at(pair).source) return pair;
    const int first = written_.find_by_result(at(pair).source);
    if (first < 0) {
      if (!promised.constant) add(dequantize(pair), "is no second pair: it reads '" + name(*at(pair).source) + "'");
      return pair;
    }
    use(first, promised.value, promised.scale_group, false);
    return first;
  }

  /// Returns the axis of output channels by the operator's definition; -1: one scale.
  [[nodiscard]] int channel_axis(const Node& node, const PromisedInput& promised) const {
    if (options_.per_tensor_weights || promised.axis < 0) return -1;
    switch (traits_of(graph_, node).kind) {
      case OpKind::Conv: return 0;
      case OpKind::ConvTranspose: return 1;
      case OpKind::Gemm: return node.int_or("transB", 0) != 0 ? 0 : 1;
      default: return static_cast<int>(promised.shape.rank()) - 1;
    }
  }

  void check_weight(const Node& node, const std::string& where, int pair, const PromisedInput& promised) {
    if (pair < 0) return add(node, where + " reads a float weight; the plan quantizes '" + promised.value + "'");
    used_[static_cast<size_t>(pair)] = true;
    const WrittenPair& written = at(pair);
    const Tensor* codes = graph_.constant(!written.quantize ? written.codes : written.source);
    if (!codes || codes->shape() != promised.shape)
      return add(node, where + " is not the quantized weight '" + promised.value + "'");
    const DataType wanted = promised_.type == CodeType::Fp8 ? DataType::Float8E4M3FN : DataType::Int8;
    const DataType type = written.grid.zero_point ? written.grid.zero_point->type() : wanted;
    const bool exact_on_all_cpus =
        wanted == DataType::Int8 && type == DataType::UInt8 && promised_.target->saturates_without_vnni;
    const bool one_scale = type == DataType::UInt8 && promised_.target->engine.uint8_single_scales &&
                           written.grid.scale && written.grid.scale->element_count() == 1;
    if (type != wanted && !exact_on_all_cpus && !one_scale)
      add(dequantize(pair), "the weight is not " + std::string(name_of(promised_.type)));
    const int axis = channel_axis(node, promised);
    if (!written.grid.scale) return;
    const int64_t scales = written.grid.scale->element_count();
    const int64_t channels = axis < 0 ? 1 : promised.shape[as_index(axis)];
    if (scales != channels)
      add(dequantize(pair), "has " + std::to_string(scales) + " scales for " + std::to_string(channels) +
                                " channels of the weight of " + describe(node));
    if (axis >= 0 && written.grid.axis != axis)
      add(dequantize(pair), "has axis " + std::to_string(written.grid.axis) + "; the weight of " + describe(node) +
                                " counts output channels on axis " + std::to_string(axis));
  }

  void check_bias(const Node& node, const std::string& where, ValueId value, int pair) {
    if (pair < 0) return;
    used_[static_cast<size_t>(pair)] = true;
    const WrittenPair& bias = at(pair);
    const Tensor* codes = graph_.constant(bias.codes);
    if (!codes || codes->type() != DataType::Int32)
      return add(node, where + " reads a pair '" + name(value) + "' that is no INT32 bias");
    check_bias_scale(node, bias);
  }

  /// Returns the product before the Add that holds its bias; nullptr where the node is no such Add.
  [[nodiscard]] const Node* product_of_bias(const Node& node) const {
    if (traits_of(graph_, node).kind != OpKind::Add) return nullptr;
    for (const ValueId input : present(node.inputs))
      if (const Node* product = graph_.producer(input); product && traits_of(graph_, *product).kind == OpKind::MatMul)
        return product;
    return nullptr;
  }

  /// Returns the pair that writes the value, or the codes that copies in front of the layer pass on; -1 for none.
  [[nodiscard]] int pair_before_copies(MaybeValue value) const {
    int pair = written_.find_by_result(value);
    while (const Node* copy = pair < 0 && value ? graph_.producer(*value) : nullptr) {
      const OpTraits& traits = traits_of(graph_, *copy);
      if (!keeps_elements(traits) && traits.kind != OpKind::Concat) break;
      value = copy->input(0);
      pair = written_.find_by_result(value);
    }
    return pair;
  }

  /// Checks that the scale is s_x * s_w, the step of the accumulator; ONNX Runtime leaves the layer float otherwise.
  void check_bias_scale(const Node& node, const WrittenPair& bias) {
    const Node* behind_add = product_of_bias(node);
    const Node& layer = behind_add ? *behind_add : node;
    const int data = pair_before_copies(layer.input(0)), weight = written_.find_by_result(layer.input(1));
    if (data < 0 || weight < 0 || !at(data).grid.scale || !at(weight).grid.scale || !bias.grid.scale)
      return add(graph_.node(bias.dequantize), "is an INT32 bias of a layer without pairs");
    const Tensor x = cast(*at(data).grid.scale, DataType::Float32), w = cast(*at(weight).grid.scale, DataType::Float32),
                 b = cast(*bias.grid.scale, DataType::Float32);
    const auto scales = b.data<float>();
    for (size_t channel = 0; channel < scales.size(); ++channel) {
      const double product =
          static_cast<double>(x.data<float>()[0]) * w.data<float>()[channel % static_cast<size_t>(w.element_count())];
      constexpr double kRounding = 1e-6;  // one rounding of the product to float is 6e-8
      if (std::abs(scales[channel] - product) > kRounding * product)
        return add(graph_.node(bias.dequantize), "its scale is not s_x * s_w");
    }
  }

  void check_outputs() {
    const bool may_close = options_.quantize_outputs || promised_.target->engine.closes_outputs;
    for (const ValueId output : graph_.outputs()) {
      const int pair = written_.find_by_result(output);
      const auto promised = promised_.output_pairs.find(name(output));
      if (pair >= 0 && (promised == promised_.output_pairs.end() || !may_close))
        add(dequantize(pair), "is a pair on the graph output '" + name(output) + "'");
      if (pair < 0 && promised != promised_.output_pairs.end())
        flaws_.push_back({"graph output '" + name(output) + "'", "has no pair; the plan puts one there"});
      if (pair >= 0) used_[static_cast<size_t>(pair)] = true;
      if (pair >= 0 && promised != promised_.output_pairs.end()) use(pair, promised->first, promised->second, false);
    }
  }

  void use(int pair, const std::string& value, int group, bool second) {
    used_[static_cast<size_t>(pair)] = true;
    const int first = pair_of_.emplace(std::pair(value, second), pair).first->second;
    if (first != pair)
      add(dequantize(pair), "is a second pair on '" + value + "', beside " + describe(dequantize(first)));
    if (group < 0) return;
    const Tensor* zero_point = at(pair).grid.zero_point;
    const size_t bits = zero_point ? bit_size(zero_point->type()) : 8;
    groups_[{group, bits}].emplace(value, pair);
  }

  void check_groups() {
    for (const auto& [group_and_bits, members] : groups_) {
      const auto& [first_value, first] = *members.begin();
      for (const auto& [value, pair] : members)
        if (!same_grid(at(first).grid, at(pair).grid))
          add(dequantize(pair), "'" + value + "' shares its scale with '" + first_value + "', but the scales differ");
    }
  }

  void check_nothing_else() {
    for (size_t pair = 0; pair < used_.size(); ++pair)
      if (!used_[pair]) add(dequantize(static_cast<int>(pair)), "is a pair that the plan does not have");
    for (const Node& node : graph_.nodes())
      if (!seen_.contains(node.id) && !written_.owns(node.id) && traits_of(graph_, node).kind != OpKind::Constant)
        add(node, "is not in the planned graph");
  }

  const Graph& graph_;
  const PromisedFile& promised_;
  const QdqCheckOptions& options_;
  std::set<std::string> outside_pairs_, alone_;
  WrittenPairs written_;
  std::vector<bool> used_;  // by pair
  std::set<NodeId> seen_;
  std::map<std::pair<std::string, bool>, int> pair_of_;  // value, and whether it is the second -> its pair
  std::map<std::pair<int, size_t>, std::map<std::string, int>> groups_;  // scale group, bits -> value -> pair
  std::vector<Flaw> flaws_;
};

}  // namespace

std::vector<Flaw> find_qdq_flaws(const Graph& written, const PromisedFile& promised, const QdqCheckOptions& options) {
  return FileCheck(written, promised, options).run();
}

void check_qdq_file(const Graph& written, const std::filesystem::path& path, const PromisedFile& promised,
                    const QdqCheckOptions& options) {
  const std::vector<Flaw> flaws = find_qdq_flaws(written, promised, options);
  if (flaws.empty()) return;
  std::string more;
  if (flaws.size() > 1) more = " (and " + std::to_string(flaws.size() - 1) + " more flaws)";
  throw Error(ErrorCode::Internal, path.string() + ": the written file fails its check: " + flaws.front().node + ": " +
                                       flaws.front().what + more);
}

}  // namespace detent
