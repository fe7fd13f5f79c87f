// Lists of tensors. A list never changes: an operator that edits one makes a new list of the same tensors, whose memory
// is shared. Elements are kept in plain layout, so that no reader needs to look.

#include "ops/control/sequence.h"

#include <algorithm>
#include <limits>
#include <string>

#include "core/index.h"
#include "core/memory_limit.h"
#include "model/graph/tensor_proto.h"
#include "ops/kernel_function.h"
#include "ops/memory/join.h"
#include "ops/op_list.h"
#include "ops/operands.h"

namespace detent {

const std::vector<Tensor>& sequence_input(const KernelCall& call, size_t slot) {
  if (!call.has_input(slot) || !call.input(slot).is_sequence())
    throw Error(ErrorCode::InvalidData, "input " + std::to_string(slot) + " should be a sequence of tensors");
  return call.input(slot).elements();
}

const Tensor& tensor_input(const KernelCall& call, size_t slot) {
  if (!call.has_input(slot) || call.input(slot).is_sequence())
    throw Error(ErrorCode::InvalidData, "input " + std::to_string(slot) + " should be a tensor");
  return call.input(slot);
}

void check_tensor_count(uint64_t count) {
  constexpr uint64_t kEach = 2 * sizeof(Tensor) + 256;  // a growing list moves; a buffer of a cache line and its record
  check_memory(count > UINT64_MAX / kEach ? UINT64_MAX : count * kEach,
               [&] { return "a list of " + std::to_string(count) + " tensors"; });
}

namespace {

/// Returns the list as a value.
/// Errors  InvalidData when elements are of several types.
Tensor sequence_of(std::vector<Tensor> elements) {
  for (const Tensor& element : elements)
    if (element.type() != elements.front().type())
      throw Error(ErrorCode::InvalidData, "a sequence cannot hold elements of type " +
                                              std::string(name_of(elements.front().type())) + " and of type " +
                                              std::string(name_of(element.type())));
  return Tensor::sequence(std::move(elements));
}

void run_construct(KernelCall& call) {
  std::vector<Tensor> elements;
  for (size_t i = 0; i < call.input_count(); ++i) elements.push_back(to_plain(tensor_input(call, i), call.allocator()));
  call.set_output(0, sequence_of(std::move(elements)));
}

void run_empty(KernelCall& call) { call.set_output(0, Tensor::sequence({})); }

std::optional<Unsupported> refuse_type(const KernelContext& context) {
  const int64_t code = context.node.int_or("dtype", 1);  // float
  if (data_type_from_onnx(code) != DataType::Undefined) return std::nullopt;
  return Unsupported{"its elements are of type " + std::to_string(code) +
                     " of ONNX, which Detent does not compute with"};
}

/// Returns the position in input `slot`, counted from the front; `last` when it is left out.
/// Errors  InvalidData when it is neither in 0 ... last nor in -length ... -1.
size_t position_in(const KernelCall& call, size_t slot, size_t length, size_t last) {
  if (!call.has_input(slot)) return last;
  const std::vector<int64_t> given = integers_of(tensor_input(call, slot));
  const auto count = as_extent(length);
  if (given.size() != 1 || given[0] < -count || given[0] > as_extent(last))
    throw Error(ErrorCode::InvalidData, (given.size() == 1 ? "position " + std::to_string(given[0])
                                                           : std::to_string(given.size()) + " positions") +
                                            " in a sequence of " + std::to_string(length) + " elements");
  return as_index(given[0] < 0 ? given[0] + count : given[0]);
}

/// Returns the position of an element that exists. Errors  InvalidData otherwise.
size_t element_at(const KernelCall& call, size_t slot, size_t length) {
  if (length == 0) throw Error(ErrorCode::InvalidData, "the sequence is empty");
  return position_in(call, slot, length, length - 1);
}

void run_at(KernelCall& call) {
  const std::vector<Tensor>& elements = sequence_input(call, 0);
  call.set_output(0, elements[element_at(call, 1, elements.size())]);
}

void run_insert(KernelCall& call) {
  std::vector<Tensor> elements = sequence_input(call, 0);
  const size_t at = position_in(call, 2, elements.size(), elements.size());
  elements.insert(elements.begin() + as_extent(at), to_plain(tensor_input(call, 1), call.allocator()));
  call.set_output(0, sequence_of(std::move(elements)));
}

void run_erase(KernelCall& call) {
  std::vector<Tensor> elements = sequence_input(call, 0);
  elements.erase(elements.begin() + as_extent(element_at(call, 1, elements.size())));
  call.set_output(0, Tensor::sequence(std::move(elements)));
}

void run_length(KernelCall& call) {
  const auto length = as_extent(sequence_input(call, 0).size());
  call.make_output(0, DataType::Int64, Shape{}).mutable_data<int64_t>()[0] = length;
}

/// Divides `extent` into parts of `each`; the last one is smaller where it does not divide.
std::vector<int64_t> split_extents(int64_t extent, int64_t each) {
  if (each < 1) throw Error(ErrorCode::InvalidData, "parts of extent " + std::to_string(each) + " make no sense");
  check_tensor_count(static_cast<uint64_t>(extent / each + (extent % each != 0)));
  std::vector<int64_t> parts;
  for (int64_t rest = extent; rest > 0; rest -= each) parts.push_back(std::min(rest, each));
  return parts;
}

/// Returns the extents of the parts, which `split` lists or, as a scalar, gives for all of them.
std::vector<int64_t> listed_parts(const Tensor& split, int64_t extent) {
  const std::vector<int64_t> parts = integers_of(split);
  if (split.shape().rank() == 0) return split_extents(extent, parts[0]);
  int64_t rest = extent;
  for (const int64_t part : parts) {
    if (part < 0 || part > rest) rest = -1;  // no sum that could overflow
    if (rest < 0) break;
    rest -= part;
  }
  if (rest != 0)
    throw Error(ErrorCode::InvalidData, "the parts do not add up to an extent of " + std::to_string(extent));
  return parts;
}

std::unique_ptr<Kernel> make_sequence_split(const KernelContext& context) {
  const bool keep = context.node.int_or("keepdims", 1) != 0;
  return kernel_of([keep, at = context.node.int_or("axis", 0)](KernelCall& call) {
    const Tensor& input = tensor_input(call, 0);
    const size_t axis = axis_from_front(at, input.shape().rank());
    const int64_t extent = input.shape()[axis];
    const bool listed = call.has_input(1);
    std::vector<Tensor> elements;
    int64_t first = 0;
    for (const int64_t part : listed ? listed_parts(tensor_input(call, 1), extent) : split_extents(extent, 1)) {
      const Tensor element = part_of(input, axis, first, part, call.allocator());
      elements.push_back(keep || listed ? element : without_axis(element, axis));
      first += part;
    }
    call.set_output(0, Tensor::sequence(std::move(elements)));
  });
}

std::unique_ptr<Kernel> make_sequence_concat(const KernelContext& context) {
  if (!context.node.has("axis")) throw Error(ErrorCode::InvalidModel, "attribute axis is missing");
  const bool adds_axis = context.node.int_or("new_axis", 0) != 0;
  return kernel_of([adds_axis, axis = context.node.int_or("axis", 0)](KernelCall& call) {
    const std::vector<Tensor>& elements = sequence_input(call, 0);
    if (elements.empty()) throw Error(ErrorCode::InvalidData, "the sequence is empty: there is nothing to join");
    call.set_output(0, adds_axis ? stack(elements, axis, call.allocator()) : join(elements, axis, call.allocator()));
  });
}

/// Returns the inputs of the body for element `i`: that element of sequences, tensors as they are.
std::vector<Tensor> inputs_for(const KernelCall& call, size_t i, size_t length) {
  std::vector<Tensor> inputs;
  for (size_t slot = 0; slot < call.input_count(); ++slot) {
    if (!call.has_input(slot) || !call.input(slot).is_sequence()) {
      inputs.push_back(tensor_input(call, slot));
      continue;
    }
    const std::vector<Tensor>& elements = call.input(slot).elements();
    if (elements.size() != length)
      throw Error(ErrorCode::InvalidData, "input " + std::to_string(slot) + " has " + std::to_string(elements.size()) +
                                              " elements, the first one " + std::to_string(length));
    inputs.push_back(elements[i]);
  }
  return inputs;
}

std::unique_ptr<Kernel> make_map(const KernelContext& context) {
  const std::shared_ptr<const Graph> body = context.node.graph("body");
  if (!body) throw Error(ErrorCode::InvalidModel, "attribute 'body' is missing");
  if (body->outputs().size() < context.node.outputs.size())
    throw Error(ErrorCode::InvalidModel, "the body has " + std::to_string(body->outputs().size()) +
                                             " outputs, expected " + std::to_string(context.node.outputs.size()));
  return kernel_of([](KernelCall& call) {
    const size_t length = sequence_input(call, 0).size();
    std::vector<std::vector<Tensor>> mapped(call.output_count());
    for (size_t i = 0; i < length; ++i) {
      const std::vector<Tensor> results = call.subgraphs().run("body", inputs_for(call, i, length));
      for (size_t k = 0; k < mapped.size(); ++k) {
        if (results[k].empty_handle() || results[k].is_sequence())
          throw Error(ErrorCode::InvalidModel, "output " + std::to_string(k) + " of the body should be a tensor");
        mapped[k].push_back(to_plain(results[k], call.allocator()));
      }
    }
    for (size_t k = 0; k < mapped.size(); ++k) call.set_output(k, sequence_of(std::move(mapped[k])));
  });
}

constexpr OpTraits kMakesSequence{.kind = OpKind::Sequence, .data_inputs = 0};
constexpr OpTraits kReadsSequence{.data_inputs = 0};
constexpr OpTraits kCounts{.kind = OpKind::ShapeOf, .data_inputs = 0};

using Make = std::unique_ptr<Kernel>(const KernelContext&);

OperatorDef sequence_operator(std::string_view op_type, const OpTraits& traits, Make* make, int first_opset = 11,
                              LayoutNeed layout = LayoutNeed::Plain) {
  return {op_type, traits, make, first_opset, layout, nullptr, std::numeric_limits<int>::max(), nullptr, nullptr, true};
}

void run_optional(KernelCall& call) { call.set_output(0, call.has_input(0) ? call.input(0) : Tensor()); }

void run_has_element(KernelCall& call) {
  call.make_output(0, DataType::Bool, Shape{}).mutable_data<bool>()[0] = call.has_input(0);
}

void run_get_element(KernelCall& call) {
  if (!call.has_input(0)) throw Error(ErrorCode::InvalidData, "the optional is empty: there is no element to get");
  call.set_output(0, call.input(0));
}

}  // namespace

std::vector<OperatorDef> sequence_operators() {
  return {
      sequence_operator("SequenceConstruct", kMakesSequence, stateless<run_construct>),
      {.op_type = "SequenceEmpty",
       .traits = kMakesSequence,
       .make = stateless<run_empty>,
       .first_opset = 11,
       .check = refuse_type,
       .any_value = true},
      sequence_operator("SequenceAt", kReadsSequence, stateless<run_at>),
      sequence_operator("SequenceInsert", kMakesSequence, stateless<run_insert>),
      sequence_operator("SequenceErase", kMakesSequence, stateless<run_erase>),
      sequence_operator("SequenceLength", kCounts, stateless<run_length>),
      sequence_operator("SplitToSequence", kMakesSequence, make_sequence_split),
      sequence_operator("ConcatFromSequence", kReadsSequence, make_sequence_concat),
      sequence_operator("SequenceMap", kMakesSequence, make_map, 17),
      // An optional may hold a sequence: the operator does not tell the content's type.
      sequence_operator("Optional", kMakesSequence, stateless<run_optional>, 15, LayoutNeed::Any),
      sequence_operator("OptionalHasElement", kCounts, stateless<run_has_element>, 15, LayoutNeed::Any),
      sequence_operator("OptionalGetElement", kMakesSequence, stateless<run_get_element>, 15, LayoutNeed::Any),
  };
}

}  // namespace detent
