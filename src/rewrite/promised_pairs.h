#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "ops/op_kind.h"
#include "place/plan/placement_plan.h"

namespace detent {

class MappedFile;

/// How a slot of a node is to read its value in the written file.
enum class ReadAs : uint8_t {
  Value,   ///< the value itself
  Pair,    ///< the DequantizeLinear of the value's pair
  Weight,  ///< the DequantizeLinear of the quantized weight
  Bias,    ///< the constant, or an INT32 DequantizeLinear of it
};

struct PromisedInput {
  std::string value;    ///< empty where an optional input is left out
  std::string cast_of;  ///< what the value is a Cast of; its pair may begin there. Empty: it is none
  ReadAs read = ReadAs::Value;
  int scale_group = -1;
  int axis = -1;  ///< weights: the plan's axis; -1 one scale
  bool constant = false;
  Shape shape;     ///< of a constant; empty otherwise
  Tensor content;  ///< a copy of the constant; an empty handle otherwise
};

struct PromisedNode {
  std::string name, op_type;
  std::string output;  ///< its first output, by which the node is found again
  OpKind kind = OpKind::Other;
  std::vector<PromisedInput> inputs;  ///< by slot
};

/// The promises of a plan about the file to be written, by names: ids do not outlive the change of the graph.
struct PromisedFile {
  const Target* target = nullptr;
  CodeType type = CodeType::Int8;
  std::vector<PromisedNode> nodes;
  std::map<std::string, int> output_pairs;                ///< graph outputs behind a pair -> scale group
  std::set<std::string> values;                           ///< every value of the planned graph
  std::vector<std::shared_ptr<const MappedFile>> mapped;  ///< what contents look into

  /// Lets the constants go; later checks do not compare with them any more.
  void forget_contents();
  /// Nodes that are taken out of the file again, and values whose place others took.
  void rename(const std::map<std::string, std::string>& values, const std::set<std::string>& nodes);
};

/// `plan` belongs to `graph`.
[[nodiscard]] PromisedFile promise_of(const Graph& graph, const PlacementPlan& plan);

}  // namespace detent
