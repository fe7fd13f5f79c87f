#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ops/kernel.h"

namespace detent {

class Schedule;

/// Kernels, keyed by their node and the values that it and its fused followers read. Schedules over rewirings of one
/// graph (GraphRewiring) that share one cache have each kernel, with its packed weights, once.
class KernelCache {
 public:
  using Key = std::pair<std::vector<MaybeValue>, std::vector<int>>;  ///< values, slots of residuals
  /// Returns the kernel; makes it by `make` when there is none.
  template <class Make>
  std::shared_ptr<const Kernel> get(Key key, Make&& make) {
    std::shared_ptr<const Kernel>& kernel = kernels_[std::move(key)];
    if (!kernel) kernel = make();
    return kernel;
  }

 private:
  std::map<Key, std::shared_ptr<const Kernel>> kernels_;
};

struct ScheduleOptions {
  bool fuse = true;
  /// Fuse only followers that pick numbers and compute none (Relu, Clip) or have the bits of separate steps
  /// (is_exponential), so that the bits of a value do not depend on which others are wanted: oneDNN rounds other
  /// activations, and convolutions with an Add, differently from separate steps.
  bool exact_fusion = false;
  int team = 1;  ///< threads inside one kernel: for cores without a sample
  /// Models of large weights (is_lean): keep packed copies, which double the weights, where memory has room for them.
  /// For a schedule that runs many samples while no other needs as much.
  bool keep_large_copies = false;
  bool shapes_only = false;  ///< only shapes are wanted: products that decide none are not computed
  /// Make also constants of which every reader here needs only the shape: a reader elsewhere needs their elements.
  bool make_all_constants = false;
  /// Constants of the graph around a subgraph, which the subgraph does not know.
  std::span<const std::pair<ValueId, Tensor>> known = {};
  CpuProducts products = CpuProducts::Exact;  ///< RunSettings::products
  KernelCache* kernels = nullptr;  ///< for schedules with the same `known`, which then holds all that can be folded
};

/// A graph that a node holds as an attribute, scheduled for all of its outputs.
struct ScheduledSubgraph {
  /// A value of the graph around it that is read inside and not constant.
  struct Captured {
    ValueId outer{};
    ValueId inner{};
  };
  std::string attribute;
  std::shared_ptr<const Schedule> schedule;
  std::vector<Captured> captured;
};

/// One step of a schedule: a node with the followers fused into it.
struct Step {
  NodeId node{};
  std::vector<FusedOp> fused;
  std::shared_ptr<const Kernel> kernel;
  LayoutNeed layout = LayoutNeed::Plain;
  bool any_value = false;                     ///< OperatorDef::any_value
  WeightAxis weight_axis = WeightAxis::None;  ///< OpTraits::weight_axis: for work_of()
  bool transposed_weight = false;             ///< Gemm with transB
  std::vector<MaybeValue> inputs;             ///< kNoValue where left out
  std::vector<ValueId> residuals;             ///< extra inputs of fused Adds
  std::vector<ScheduledSubgraph> subgraphs;   ///< the values that they capture stay until the step is done
  std::vector<MaybeValue> outputs;            ///< of the last fused node
  std::vector<ValueId> last_uses;             ///< values no later step reads and that are not kept
};

/// Returns everything that a step reads, with the captured values of its subgraphs.
[[nodiscard]] std::vector<ValueId> reads_of(const Step& step);

/// The contents of a schedule.
struct ScheduleParts {
  const Graph* graph = nullptr;
  std::vector<Step> steps;
  ValueMap<bool> wanted;
  ValueMap<bool> needed;       ///< a step or a wanted value depends on it
  ValueMap<Tensor> constants;  ///< folded; empty handles elsewhere. Empty where another schedule holds them
  bool lean = false;           ///< weights stay in the file between two steps that read them

  /// Returns an initializer, Constant node or folded constant; nullptr otherwise.
  [[nodiscard]] const Tensor* constant(MaybeValue value) const;
};

}  // namespace detent
