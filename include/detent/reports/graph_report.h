#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace detent {

/// Type that a node computes in, determined by the pairs and types around it.
enum class NodeType : uint8_t {
  Codes,  ///< INT8, or FP8 where that is the plan's type
  Float16,
  BFloat16,
  Float32,  ///< and wider floats
  Other     ///< integers, booleans, strings, lists, and outputs of operators of other domains
};

/// Main graph of a plan, for a drawing: its nodes and the values between them, without constants.
struct GraphReport {
  struct Node {
    std::string name, op;
    /// Codes: a weighted layer that runs on them, or another node that reads and is read only through pairs. Otherwise
    /// the type of its first output. Fusion by the engine is not considered.
    NodeType type = NodeType::Other;
    std::vector<std::string> inputs;   ///< values by slot; "": a constant, or left out
    std::vector<std::string> outputs;  ///< values; "": left out
  };
  std::vector<Node> nodes;           ///< in execution order
  std::vector<std::string> outputs;  ///< graph outputs
};

}  // namespace detent
