#include <algorithm>
#include <numeric>
#include <optional>

#include "place/draft/certain_shapes.h"
#include "prepare/forms/form_patch.h"
#include "prepare/forms/forms.h"

namespace detent::forms {

namespace {

using Operands = std::vector<int64_t>;

constexpr int64_t kAligned = 8;  // channels that the engine joins without a copy
constexpr size_t kChannelAxis = 1;

/// Returns the Concat of channels that the Conv of constants alone reads; nullptr where there is none.
const Node* joined_input(const Graph& graph, const Node& conv, CertainShapes& shapes) {
  const Tensor* weight = conv.op_type == "Conv" && conv.domain.empty() ? graph.constant(conv.input(1)) : nullptr;
  const Node* concat = weight ? graph.producer(conv.input(0)) : nullptr;
  if (!concat || concat->op_type != "Concat" || !concat->domain.empty() || weight->type() != DataType::Float32 ||
      weight->shape().rank() < 3 || conv.int_or("group", 1) != 1 || !conv.output(0) || concat->inputs.size() < 2)
    return nullptr;
  const Value& value = graph.value(*conv.input(0));
  const auto rank = static_cast<int64_t>(weight->shape().rank());
  const int64_t axis = concat->int_or("axis", 0);
  const bool usable = std::ranges::all_of(concat->inputs, [&](MaybeValue input) {
    return input && !graph.constant(input) && shapes.of(input) &&
           static_cast<int64_t>(shapes.of(input)->size()) == rank;
  });
  return usable && value.uses.size() == 1 && !value.is_output && (axis == 1 || axis == 1 - rank) ? concat : nullptr;
}

/// Returns the channels of each operand; empty where they are not known, or a weight of other channels reads them.
Operands channels_of(const Node& concat, const Tensor& weight, CertainShapes& shapes) {
  Operands channels;
  for (const MaybeValue input : concat.inputs) channels.push_back((*shapes.of(input))[kChannelAxis]);
  const bool known = std::ranges::all_of(channels, [](int64_t count) { return count > 0; });
  const int64_t sum = std::accumulate(channels.begin(), channels.end(), int64_t{0});
  return known && sum == weight.shape()[kChannelAxis] ? channels : Operands();
}

/// True where sums of Convs cost less than a Concat, as the engine counts: it reads and writes what it joins, and each
/// further term.
bool saves(const Graph& graph, const Node& concat, const Operands& channels, int64_t outputs) {
  if (std::ranges::any_of(channels, [](int64_t count) { return count % kAligned != 0; })) return true;
  const bool split = std::ranges::any_of(concat.inputs, [&](MaybeValue input) {
    const Node* maker = graph.producer(input);
    return maker && maker->op_type == "Split";
  });
  const int64_t sum = std::accumulate(channels.begin(), channels.end(), int64_t{0});
  return !split && 2 * (std::ssize(channels) - 1) * outputs < sum;
}

/// Returns the weights [M, C, k...] of a part of the channels.
Tensor part_of(const Tensor& weight, int64_t first, int64_t count) {
  std::vector<int64_t> extents(weight.shape().begin(), weight.shape().end());
  const int64_t outputs = extents[0], channels = extents[kChannelAxis];
  const int64_t window = weight.shape().element_count(2, extents.size());
  extents[kChannelAxis] = count;
  Tensor part(DataType::Float32, Shape(extents));
  const auto from = weight.data<float>();
  auto to = part.mutable_data<float>().begin();
  for (int64_t output = 0; output < outputs; ++output)
    to = std::copy_n(from.begin() + (output * channels + first) * window, count * window, to);
  return part;
}

void write_sum(FormPatch& patch, const Node& conv, const Node& concat, const Tensor& weight, const Operands& channels) {
  std::string sum;
  int64_t first = 0;
  for (size_t i = 0; i < channels.size(); ++i) {
    const bool last = i + 1 == channels.size();
    const std::string number = std::to_string(i), term = patch.fresh(conv, "operand" + number);
    NodeSpec part{
        "Conv",
        last ? conv.name : term,
        {patch.name_of(concat.inputs[i]), patch.constant(conv, "weight" + number, part_of(weight, first, channels[i]))},
        {term},
        conv.attributes,
        ""};
    if (last && conv.input(2)) part.inputs.push_back(patch.name_of(conv.input(2)));
    patch.add(std::move(part));
    first += channels[i];
    if (i == 0) {
      sum = term;
      continue;
    }
    const std::string added = patch.fresh(conv, "sum" + number);
    const std::string output = last ? patch.name_of(conv.output(0)) : added;
    patch.add({"Add", added, {sum, term}, {output}, {}, ""});
    sum = output;
  }
}

}  // namespace

GraphPatch conv_per_operand(const Graph& graph) {
  FormPatch patch(graph, "write a Conv behind a Concat as a sum");
  const GraphFacts facts(graph, default_target());
  CertainShapes shapes(facts);
  for (const Node& conv : graph.nodes()) {
    const Node* concat = joined_input(graph, conv, shapes);
    if (!concat) continue;
    const Tensor& weight = *graph.constant(conv.input(1));
    const Operands channels = channels_of(*concat, weight, shapes);
    if (channels.empty() || !saves(graph, *concat, channels, weight.shape()[0])) continue;
    write_sum(patch, conv, *concat, weight, channels);
    patch.remove(*concat);
    patch.remove(conv);
  }
  return patch.take();
}

}  // namespace detent::forms
