#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/running_steps.h"
#include "detent/options/run_settings.h"
#include "model/graph/graph.h"
#include "ops/op_kind.h"

namespace detent {

/// An operator that the executor folds into the one before it.
struct FusedOp {
  const Node* node = nullptr;
  OpKind kind = OpKind::Other;  ///< Add, an activation, or Silu/HardSwish for a gate and its Mul (node is the Mul)
  int residual_slot = -1;       ///< Add: which input of `node` comes from elsewhere; -1 for activations
};

/// The surroundings that a kernel may read when it is made. They live as long as the kernel.
struct KernelContext {
  const Graph& graph;
  const Node& node;
  int64_t opset = 0;                         ///< of the node's domain
  std::span<const FusedOp> fused = {};       ///< empty unless OperatorDef::fuse accepted them
  const ValueMap<Tensor>* folded = nullptr;  ///< constants computed by the schedule, empty handles elsewhere
  int team = 1;                 ///< threads that a kernel may use if its result does not depend on their number
  bool shape_suffices = false;  ///< nothing reads the outputs' elements: costly kernels may leave them 0
  bool keep_copies = true;      ///< a copy of large constants in another order may be kept for speed
  CpuProducts products = CpuProducts::Exact;

  /// Returns the constant in input slot `slot` of the node: initializer, Constant node or folded by the schedule;
  /// nullptr when dynamic.
  [[nodiscard]] const Tensor* constant(size_t slot) const;
};

/// A number that no other object of the process has, not even a copy.
class OwnerNumber {
 public:
  OwnerNumber();
  OwnerNumber(const OwnerNumber& /*other*/) : OwnerNumber() {}
  OwnerNumber& operator=(const OwnerNumber& /*other*/) { return *this; }
  ~OwnerNumber() = default;
  [[nodiscard]] uint64_t value() const { return value_; }

 private:
  uint64_t value_;
};

/// Memory of one worker: scratch that is reused from node to node, and what kernels keep from run to run.
class Workspace {
 public:
  /// Returns the object that the owner keeps here, made without arguments at the first call. The owner always asks for
  /// the same type.
  template <class Kept>
  [[nodiscard]] Kept& kept(const OwnerNumber& owner) {
    std::shared_ptr<void>& object = kept_[owner.value()];
    if (!object) object = std::make_shared<Kept>();
    return *static_cast<Kept*>(object.get());
  }
  /// Returns at least `bytes` bytes, 64-byte aligned, valid until the next call.
  [[nodiscard]] void* scratch(size_t bytes);

 private:
  BufferRef scratch_;
  std::unordered_map<uint64_t, std::shared_ptr<void>> kept_;
};

/// A runner of the graphs that a node holds as attributes: the branches of an If, the body of a Loop. The runner of the
/// graph around it gives it to the kernel, so that operators know no executor.
class SubgraphRunner {
 public:
  virtual ~SubgraphRunner() = default;
  /// Runs the graph in attribute `attribute` once. `inputs` and the result go by position of its inputs and outputs;
  /// values of enclosing graphs that it reads are supplied by the runner. Outputs may be in any Layout.
  /// Errors  those of the nodes inside, each with its own name; InvalidData for a wrong number of inputs.
  [[nodiscard]] virtual std::vector<Tensor> run(std::string_view attribute, std::span<const Tensor> inputs) = 0;
};

/// One execution of one node on one sample.
class KernelCall {
 public:
  /// inputs  one that owns_memory_alone() is read for the last time here.
  KernelCall(std::span<Tensor> inputs, std::span<Tensor> outputs, std::span<const Tensor> residuals,
             Allocator& allocator, Workspace& workspace)
      : inputs_(inputs), outputs_(outputs), residuals_(residuals), allocator_(allocator), workspace_(workspace) {}

  [[nodiscard]] size_t input_count() const { return inputs_.size(); }
  [[nodiscard]] size_t output_count() const { return outputs_.size(); }
  [[nodiscard]] bool has_input(size_t i) const { return i < inputs_.size() && !inputs_[i].empty_handle(); }
  [[nodiscard]] bool wants_output(size_t i) const { return i < outputs_.size(); }
  [[nodiscard]] const Tensor& input(size_t i) const { return inputs_[i]; }
  /// Returns the extra inputs of fused Adds, in the order of KernelContext::fused.
  [[nodiscard]] std::span<const Tensor> residuals() const { return residuals_; }
  [[nodiscard]] Tensor& output(size_t i) { return outputs_[i]; }
  void set_output(size_t i, Tensor tensor) {
    if (i < outputs_.size()) outputs_[i] = std::move(tensor);
  }
  /// Moves output i out, to be set again.
  [[nodiscard]] Tensor take_output(size_t i) { return std::move(outputs_[i]); }
  /// Makes uninitialised memory for output i and returns it for filling.
  Tensor& make_output(size_t i, DataType type, const Shape& shape, Layout layout = Layout::Plain) {
    outputs_[i] = Tensor(type, shape, allocator_, layout);
    if (i == 0) tell_output(shape);
    return outputs_[i];
  }
  /// Makes output i with type, shape and layout of input `from`, in its memory when that input is read for the last
  /// time here. Element i of the output must then only depend on element i of the input.
  Tensor& make_output_like(size_t i, size_t from);
  /// Reports the shape of output 0 for a progress line, before the work. make_output() and make_output_like() do so
  /// too.
  void tell_output(const Shape& shape) {
    if (teller_) teller_->output(shape);
  }
  [[nodiscard]] Allocator& allocator() const { return allocator_; }
  [[nodiscard]] Workspace& workspace() const { return workspace_; }
  /// Returns the runner for nodes that hold graphs. Errors  Internal when none was set.
  [[nodiscard]] SubgraphRunner& subgraphs() const;
  void set_subgraphs(SubgraphRunner& runner) { subgraphs_ = &runner; }
  void set_teller(StepTeller& teller) { teller_ = &teller; }

 private:
  std::span<Tensor> inputs_;
  std::span<Tensor> outputs_;
  std::span<const Tensor> residuals_;
  Allocator& allocator_;
  Workspace& workspace_;
  SubgraphRunner* subgraphs_ = nullptr;
  StepTeller* teller_ = nullptr;
};

/// The executable form of a node: attributes parsed, constants packed. Shared by all workers; run() is const and
/// thread-safe.
class Kernel {
 public:
  virtual ~Kernel() = default;
  /// Reads call.input(), fills every wanted output.
  /// Errors  InvalidModel/InvalidData with what was expected; the executor adds node and operator.
  virtual void run(KernelCall& call) const = 0;
};

/// The layout that a kernel asks of its inputs; the executor reorders those that differ.
enum class LayoutNeed : uint8_t {
  Plain,  ///< all inputs plain (default)
  Same,   ///< any layout, but all inputs of rank >= 3 and equal shape in the same one (elementwise)
  Any,    ///< the kernel looks at Tensor::layout() itself
};

}  // namespace detent
