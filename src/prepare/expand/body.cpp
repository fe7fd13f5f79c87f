#include "prepare/expand/body.h"

#include <algorithm>
#include <limits>

#include "detent/base/error.h"
#include "ops/signatures.h"

namespace detent::expand {

void refuse(const std::string& reason) { throw Error(ErrorCode::Unsupported, reason); }

Body::Body(const Graph& graph, const Node& node, const ValueMap<DataType>& types, std::string prefix)
    : graph_(graph), node_(node), types_(types), prefix_(std::move(prefix)) {}

Name Body::input(size_t slot) const { return reads(slot) ? graph_.value(*node_.input(slot)).name : Name(); }

DataType Body::type(size_t slot) const {
  const DataType type = reads(slot) ? types_[*node_.input(slot)] : DataType::Undefined;
  if (type == DataType::Undefined) refuse("the element type of input " + std::to_string(slot) + " is not known");
  return type;
}

std::optional<std::vector<int64_t>> Body::shape(size_t slot) const {
  if (!reads(slot)) return std::nullopt;
  if (const Tensor* tensor = constant(slot))
    return std::vector<int64_t>(tensor->shape().begin(), tensor->shape().end());
  return graph_.value(*node_.input(slot)).declared_shape;
}

std::optional<size_t> Body::rank(size_t slot) const {
  const auto known = shape(slot);
  return known ? std::optional(known->size()) : std::nullopt;
}

size_t Body::known_rank(size_t slot) const {
  const auto known = rank(slot);
  if (!known) refuse("the model declares no shape for '" + input(slot) + "', whose rank decides the form of the node");
  return *known;
}

int64_t Body::extent(size_t slot, int64_t axis) const {
  const auto known = shape(slot);
  if (!known) return -1;
  const int64_t position = axis < 0 ? axis + static_cast<int64_t>(known->size()) : axis;
  return position >= 0 && position < static_cast<int64_t>(known->size()) ? (*known)[static_cast<size_t>(position)] : -1;
}

std::string Body::symbol(size_t slot, size_t axis) const {
  const std::vector<std::string>& symbols = graph_.value(*node_.input(slot)).symbols;
  return axis < symbols.size() ? symbols[axis] : std::string();
}

int64_t Body::count(std::string_view attribute, int64_t fallback) const {
  const int64_t given = node_.int_or(attribute, fallback);
  if (given < 0 || given > std::numeric_limits<int32_t>::max())
    refuse("attribute " + std::string(attribute) + "=" + std::to_string(given) + " makes no sense");
  return given;
}

void Body::refuse_input(size_t slot, const char* name) const {
  if (reads(slot)) refuse("its input " + std::to_string(slot) + " (" + name + ") is not supported");
}

void Body::refuse_output(size_t slot, const char* name) const {
  if (writes(slot)) refuse("its output " + std::to_string(slot) + " (" + name + ") is not supported");
}

void Body::refuse_unless(std::string_view attribute, int64_t value) const {
  if (const int64_t given = node_.int_or(attribute, value); given != value)
    refuse("attribute " + std::string(attribute) + "=" + std::to_string(given) + " is not supported");
}

Name Body::named(const std::string& word) {
  const int before = counts_[word]++;
  return prefix_ + word + (before ? "_" + std::to_string(before) : "");
}

void Body::need_opset(int64_t version) const {
  if (opset() < version) refuse("its expansion needs opset " + std::to_string(version));
}

Name Body::add(const std::string& op_type, Names inputs, std::vector<Attribute> attributes) {
  if (const Signature* signature = find_signature(op_type, opset())) need_opset(signature->since);
  while (!inputs.empty() && inputs.back().empty()) inputs.pop_back();
  for (Name& one : inputs) one = written(one);
  const Name name = named(op_type);
  nodes_.push_back({op_type, name, std::move(inputs), {name + "_output"}, std::move(attributes), ""});
  return nodes_.back().outputs.front();
}

Name Body::further_output(const std::string& word) {
  nodes_.back().outputs.push_back(nodes_.back().name + "_" + word);
  return nodes_.back().outputs.back();
}

Name Body::constant_of(const std::string& word, Tensor tensor) {
  constants_.emplace_back(named(word), std::move(tensor));
  return constants_.back().first;
}

Name Body::scalar(double value, DataType type) {
  Name& name = scalars_[{value, type}];
  if (name.empty()) name = constant_of("number", cast(Tensor::scalar(value), type));
  return name;
}

Name Body::ints(std::vector<int64_t> values) {
  Name& name = lists_[values];
  if (name.empty())
    name = constant_of("list", Tensor::from<int64_t>(Shape{static_cast<int64_t>(values.size())}, values));
  return name;
}

void Body::write(size_t slot, const Name& value) {
  if (!writes(slot)) return;
  const Name output = graph_.value(*node_.output(slot)).name;
  const auto makes = [&](const NodeSpec& spec) { return spec.outputs.front() == value; };
  if (std::ranges::none_of(nodes_, makes)) {
    nodes_.push_back({"Identity", named("Identity"), {written(value)}, {output}, {}, ""});
    return;
  }
  for (NodeSpec& spec : nodes_)
    for (Names* names : {&spec.inputs, &spec.outputs}) std::ranges::replace(*names, value, output);
  written_[value] = output;
}

Name Body::written(const Name& value) const {
  const auto found = written_.find(value);
  return found == written_.end() ? value : found->second;
}

void Body::move_to(GraphPatch& patch) {
  patch.remove_nodes.push_back(node_.name);
  std::ranges::move(nodes_, std::back_inserter(patch.add_nodes));
  std::ranges::move(constants_, std::back_inserter(patch.add_initializers));
}

}  // namespace detent::expand
