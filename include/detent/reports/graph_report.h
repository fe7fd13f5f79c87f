#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace detent {

/// What a node computes in, as the pairs and the types of the values around it tell.
enum class NodeType : uint8_t {
  Codes,  ///< INT8, or FP8 where that is the plan's type
  Float16,
  BFloat16,
  Float32,  ///< wider floats too
  Other     ///< integers, booleans, texts, lists; and what operators of other domains make
};

/// The main graph that a plan is about, to be drawn: its nodes and the values between them. Constants are left out.
struct GraphReport {
  struct Node {
    std::string name, op;
    /// Codes: a weighted layer that runs on them, or another node that reads all its data behind pairs and whose
    /// outputs are read behind pairs alone. Else the type of its first output. What an engine fuses into the layer in
    /// front has its own type here.
    NodeType type = NodeType::Other;
    std::vector<std::string> inputs;   ///< values by slot; "" where it is a constant or left out
    std::vector<std::string> outputs;  ///< values; "" where left out
  };
  std::vector<Node> nodes;           ///< in execution order
  std::vector<std::string> outputs;  ///< values that the graph gives
};

}  // namespace detent
