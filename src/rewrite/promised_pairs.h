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

/// The way in which a slot reads its value in the written file.
enum class ReadAs : uint8_t {
  Value,   ///< the value itself
  Pair,    ///< the DequantizeLinear of the value's pair
  Weight,  ///< the DequantizeLinear of the quantized weight
  Bias,    ///< the constant, or an INT32 DequantizeLinear of it
};

/// An input of a node in the written file.
struct PromisedInput {
  std::string value;    ///< empty when an optional input is left out
  std::string cast_of;  ///< input of the Cast that writes the value; its pair may begin there. Empty: not a Cast
  ReadAs read = ReadAs::Value;
  int scale_group = -1;
  bool wide = false;    ///< a pair of 16-bit codes
  bool second = false;  ///< a pair behind the value's own, with codes of another width
  int axis = -1;        ///< weights: the plan's axis; -1 one scale
  bool constant = false;
  bool mask = false;  ///< a constant whose huge negative numbers may be cut (ValueDecision::mask)
  Shape shape;        ///< of a constant; empty otherwise
  Tensor content;     ///< a copy of the constant; an empty handle otherwise
};

/// A node of the planned graph in the written file.
struct PromisedNode {
  std::string name, op_type;
  std::string output;  ///< its first output, which identifies the node
  OpKind kind = OpKind::Other;
  std::vector<PromisedInput> inputs;  ///< by slot
  bool dynamic = false;               ///< MatMulInteger and what belongs to it stand for it (find_dynamic_product)
};

/// The promises of a plan about the file to be written, by name: ids become invalid when the graph changes.
struct PromisedFile {
  const Target* target = nullptr;
  CodeType type = CodeType::Int8;
  std::vector<PromisedNode> nodes;
  std::map<std::string, int> output_pairs;                ///< graph outputs behind a pair -> scale group
  std::set<std::string> values;                           ///< every value of the planned graph
  std::vector<std::shared_ptr<const MappedFile>> mapped;  ///< files that contents refer to

  /// Releases the constants; later checks do not compare them.
  void forget_contents();
  /// Follows a later change: removes nodes, and renames values that others replaced.
  void rename(const std::map<std::string, std::string>& values, const std::set<std::string>& nodes);
};

/// Returns the promise of a plan of `graph`.
[[nodiscard]] PromisedFile promise_of(const Graph& graph, const PlacementPlan& plan);

}  // namespace detent
