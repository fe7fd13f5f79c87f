// If, Loop and Scan: the graphs they hold are run through KernelCall::subgraphs().

#include <algorithm>
#include <limits>
#include <string>

#include "core/index.h"
#include "ops/control/sequence.h"
#include "ops/kernel_function.h"
#include "ops/memory/join.h"
#include "ops/op_list.h"
#include "ops/operands.h"

namespace detent {

namespace {

bool condition_of(const Tensor& tensor) {
  if (tensor.empty_handle() || tensor.is_sequence())
    throw Error(ErrorCode::InvalidData, "the condition is absent or a sequence, expected one value");
  if (tensor.element_count() != 1)
    throw Error(ErrorCode::InvalidData,
                "the condition has shape " + tensor.shape().to_string() + ", expected one value");
  return scalar_of(tensor) != 0;
}

void set_all(KernelCall& call, std::vector<Tensor> results) {
  if (results.size() < call.output_count())
    throw Error(ErrorCode::InvalidModel, "the subgraph has " + std::to_string(results.size()) + " outputs, expected " +
                                             std::to_string(call.output_count()));
  for (size_t i = 0; i < call.output_count(); ++i) call.set_output(i, std::move(results[i]));
}

void run_if(KernelCall& call) {
  set_all(call, call.subgraphs().run(condition_of(call.input(0)) ? "then_branch" : "else_branch", {}));
}

/// The declaration of an output of a body: all that is known of it when the body never ran.
struct DeclaredOutput {
  DataType type = DataType::Float32;
  Shape shape;  ///< open extents are 0

  static std::vector<DeclaredOutput> of(const Graph& body) {
    std::vector<DeclaredOutput> all;
    for (const ValueId id : body.outputs()) {
      DeclaredOutput& one = all.emplace_back();
      const Value& value = body.value(id);
      one.type = value.declared_type.value_or(DataType::Float32);
      for (const int64_t extent : value.declared_shape.value_or(std::vector<int64_t>{}))
        one.shape.push_back(std::max<int64_t>(extent, 0));
    }
    return all;
  }

  [[nodiscard]] Tensor nothing(int64_t at, Allocator& allocator) const {
    const size_t axis = axis_from_front(at, shape.rank() + 1);
    Shape empty;
    for (size_t i = 0; i < axis; ++i) empty.push_back(shape[i]);
    empty.push_back(0);
    for (size_t i = axis; i < shape.rank(); ++i) empty.push_back(shape[i]);
    return {type, empty, allocator};
  }
};

std::shared_ptr<const Graph> body_of(const KernelContext& context) {
  std::shared_ptr<const Graph> body = context.node.graph("body");
  if (!body) throw Error(ErrorCode::InvalidModel, "attribute 'body' is missing");
  return body;
}

/// Loop: its inputs are M, cond, carried values; the body gets the iteration, the condition and the carried values, and
/// returns the condition, the carried values and the outputs that are joined over the iterations.
class LoopKernel final : public Kernel {
 public:
  explicit LoopKernel(const Graph& body) : declared_(DeclaredOutput::of(body)) {}

  void run(KernelCall& call) const override {
    const size_t carried_count = call.input_count() < 2 ? 0 : call.input_count() - 2;
    if (declared_.size() < 1 + carried_count)
      throw Error(ErrorCode::InvalidModel, "the body has " + std::to_string(declared_.size()) +
                                               " outputs, expected the condition and " + std::to_string(carried_count) +
                                               " carried values");
    std::vector<std::vector<Tensor>> joined(declared_.size() - 1 - carried_count);
    std::vector<Tensor> inputs(2);
    for (size_t i = 0; i < carried_count; ++i) inputs.push_back(call.input(2 + i));
    bool goes_on = !call.has_input(1) || condition_of(call.input(1));
    const int64_t limit = call.has_input(0) ? trip_count(call.input(0)) : std::numeric_limits<int64_t>::max();
    for (int64_t iteration = 0; goes_on && iteration < limit; ++iteration) {
      inputs[0] = Tensor::scalar(iteration);
      inputs[1] = Tensor::scalar(goes_on);
      std::vector<Tensor> results = call.subgraphs().run("body", inputs);
      goes_on = condition_of(results[0]);
      for (size_t i = 0; i < carried_count; ++i) inputs[2 + i] = std::move(results[1 + i]);
      check_tensor_count(joined.size() * (static_cast<uint64_t>(iteration) + 1));
      for (size_t i = 0; i < joined.size(); ++i) joined[i].push_back(std::move(results[1 + carried_count + i]));
    }
    for (size_t i = 0; i < carried_count; ++i) call.set_output(i, std::move(inputs[2 + i]));
    for (size_t i = 0; i < joined.size(); ++i)
      call.set_output(carried_count + i, joined[i].empty()
                                             ? declared_[1 + carried_count + i].nothing(0, call.allocator())
                                             : stack(joined[i], 0, call.allocator()));
  }

 private:
  static int64_t trip_count(const Tensor& tensor) {
    const std::vector<int64_t> values = integers_of(tensor);
    if (values.size() != 1)
      throw Error(ErrorCode::InvalidData,
                  "the trip count has shape " + tensor.shape().to_string() + ", expected one value");
    return values.front();
  }

  std::vector<DeclaredOutput> declared_;
};

std::unique_ptr<Kernel> make_loop(const KernelContext& context) {
  return std::make_unique<LoopKernel>(*body_of(context));
}

/// Returns element `index` of an axis, without the axis.
Tensor taken(const Tensor& tensor, int64_t at, int64_t index, Allocator& allocator) {
  const size_t axis = axis_from_front(at, tensor.shape().rank());
  return without_axis(part_of(tensor, axis, index, 1, allocator), axis);
}

/// Scan: its inputs are N states, then M inputs that are walked along an axis.
class Scan {
 public:
  Scan(const Node& node, const Graph& body, std::string_view directions)
      : scanned_(static_cast<size_t>(std::max<int64_t>(node.int_or("num_scan_inputs", 0), 0))),
        declared_(DeclaredOutput::of(body)), input_axes_(node.ints_or("scan_input_axes", {})),
        input_backwards_(node.ints_or(directions, {})), output_axes_(node.ints_or("scan_output_axes", {})),
        output_backwards_(node.ints_or("scan_output_directions", {})) {}

  /// Returns final states and joined outputs. inputs  states, then scanned inputs.
  [[nodiscard]] std::vector<Tensor> run(std::vector<Tensor> inputs, KernelCall& call) const {
    if (scanned_ == 0 || inputs.size() < scanned_ || declared_.size() < inputs.size() - scanned_)
      throw Error(ErrorCode::InvalidModel, "num_scan_inputs and the body do not fit the node's inputs");
    const size_t states = inputs.size() - scanned_;
    const std::vector<Tensor> walked(inputs.begin() + as_extent(states), inputs.end());
    const int64_t steps = step_count(walked);
    std::vector<std::vector<Tensor>> joined(declared_.size() - states);
    for (int64_t step = 0; step < steps; ++step) {
      for (size_t i = 0; i < scanned_; ++i) {
        const int64_t at = listed(input_backwards_, i) != 0 ? steps - 1 - step : step;
        inputs[states + i] = taken(walked[i], listed(input_axes_, i), at, call.allocator());
      }
      std::vector<Tensor> results = call.subgraphs().run("body", inputs);
      check_tensor_count(joined.size() * (static_cast<uint64_t>(step) + 1));
      for (size_t i = 0; i < states; ++i) inputs[i] = std::move(results[i]);
      for (size_t i = 0; i < joined.size(); ++i) joined[i].push_back(std::move(results[states + i]));
    }
    inputs.resize(states);
    for (size_t i = 0; i < joined.size(); ++i) {
      if (listed(output_backwards_, i) != 0) std::ranges::reverse(joined[i]);
      const int64_t axis = listed(output_axes_, i);
      inputs.push_back(joined[i].empty() ? declared_[states + i].nothing(axis, call.allocator())
                                         : stack(joined[i], axis, call.allocator()));
    }
    return inputs;
  }

 private:
  static int64_t listed(const std::vector<int64_t>& list, size_t i) { return i < list.size() ? list[i] : 0; }

  [[nodiscard]] int64_t step_count(const std::vector<Tensor>& walked) const {
    std::optional<int64_t> steps;
    for (size_t i = 0; i < walked.size(); ++i) {
      const Shape& shape = walked[i].shape();
      const int64_t extent = shape[axis_from_front(listed(input_axes_, i), shape.rank())];
      if (steps && *steps != extent)
        throw Error(ErrorCode::InvalidData,
                    "scanned inputs have " + std::to_string(*steps) + " and " + std::to_string(extent) + " steps");
      steps = extent;
    }
    return *steps;
  }

  size_t scanned_;
  std::vector<DeclaredOutput> declared_;
  std::vector<int64_t> input_axes_, input_backwards_, output_axes_, output_backwards_;
};

std::unique_ptr<Kernel> make_scan(const KernelContext& context) {
  return kernel_of([scan = Scan(context.node, *body_of(context), "scan_input_directions")](KernelCall& call) {
    std::vector<Tensor> inputs;
    for (size_t i = 0; i < call.input_count(); ++i) inputs.push_back(call.input(i));
    set_all(call, scan.run(std::move(inputs), call));
  });
}

/// Runs Scan of opset 8, where every input and output has the batch in front, and lengths may come first.
void run_batched_scan(KernelCall& call, const Scan& scan) {
  if (call.has_input(0))
    throw Error(ErrorCode::Unsupported, "Scan with sequence_lens is not supported", "export with opset 9 or newer");
  if (call.input_count() < 2 || call.input(1).shape().rank() == 0 || call.input(1).shape()[0] == 0)
    throw Error(ErrorCode::InvalidData, "the first state has no batch");
  const int64_t batch = call.input(1).shape()[0];
  std::vector<std::vector<Tensor>> results;  // by output, then by sample
  for (int64_t b = 0; b < batch; ++b) {
    std::vector<Tensor> inputs;
    for (size_t i = 1; i < call.input_count(); ++i) {
      if (call.input(i).shape().rank() == 0 || call.input(i).shape()[0] != batch)
        throw Error(ErrorCode::InvalidData,
                    "input of shape " + call.input(i).shape().to_string() + " in a batch of " + std::to_string(batch));
      inputs.push_back(taken(call.input(i), 0, b, call.allocator()));
    }
    std::vector<Tensor> one = scan.run(std::move(inputs), call);
    results.resize(one.size());
    for (size_t i = 0; i < one.size(); ++i) results[i].push_back(std::move(one[i]));
  }
  std::vector<Tensor> joined;
  for (const auto& parts : results) joined.push_back(stack(parts, 0, call.allocator()));
  set_all(call, std::move(joined));
}

std::unique_ptr<Kernel> make_batched_scan(const KernelContext& context) {
  return kernel_of(
      [scan = Scan(context.node, *body_of(context), "directions")](KernelCall& call) { run_batched_scan(call, scan); });
}

}  // namespace

std::vector<OperatorDef> control_flow_operators() {
  return {
      {.op_type = "If", .traits = {.data_inputs = 0}, .make = stateless<run_if>, .any_value = true},
      {.op_type = "Loop", .traits = {.data_inputs = 0}, .make = make_loop, .any_value = true},
      {"Scan", {.data_inputs = 0}, make_scan, 9},
      {.op_type = "Scan", .traits = {.data_inputs = 0}, .make = make_batched_scan, .first_opset = 8, .last_opset = 8},
  };
}

}  // namespace detent
