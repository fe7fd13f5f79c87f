#pragma once

#include <string>
#include <string_view>

#include "place/draft/draft.h"

namespace detent {

/// Channels of one group, in front of a layer and behind it, and the number of groups.
struct GroupShape {
  int64_t in = 0, out = 0, groups = 1;
};

/// A kind of Conv or ConvTranspose for which TensorRT has INT8 kernels under conditions, or none. The first row that
/// describes a layer holds for it; a layer without a row runs in INT8 between pairs.
struct KernelRow {
  enum class Groups : uint8_t { Any, Several, Depthwise };  ///< Several: more than one
  enum class Condition : uint8_t {
    Never,   ///< no pair makes it INT8
    Closed,  ///< codes stand behind it and its activation, which is one of `activations`
  };

  std::string_view layer;  ///< in sentences: "a depthwise Conv"
  std::string_view op;
  int axes = 0;  ///< spatial; 0: any number
  Groups groups = Groups::Any;
  bool (*sizes)(const GroupShape& shape) = nullptr;  ///< nullptr: any
  Condition condition = Condition::Never;
  std::string_view activations = {};  ///< "Relu SiLU": those that its kernel includes; without one it is INT8, too
  std::string_view otherwise = {};    ///< what the engine does else, as a predicate
  std::string_view measured = {};     ///< version and GPU
};

/// Returns the row for the layer; nullptr where it runs in INT8 between pairs.
[[nodiscard]] const KernelRow* find_kernel_row(const GraphFacts& facts, NodeId layer);

/// Returns why TensorRT would not run a weighted layer of the draft in INT8 although pairs stand in front of it; empty
/// where it does. It judges the activation behind the layer, and which of its readers read codes.
/// codes  the name of their type, for the sentence
[[nodiscard]] std::string tensorrt_kernel_obstacle(const PlacementDraft& draft, NodeId layer, std::string_view codes);

/// True for a depthwise Conv that stays float for want of a kernel.
[[nodiscard]] bool is_float_depthwise(const PlacementDraft& draft, NodeId layer);

}  // namespace detent
