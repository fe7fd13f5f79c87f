#pragma once

#include <vector>

#include "equalize/channel_axis.h"
#include "equalize/equalization.h"
#include "equalize/tie_channels.h"

namespace detent {

/// Values whose channels can be multiplied by factors without changing the results of the network: the nodes that write
/// them can multiply and the nodes that read them can divide, each in its constants.
struct ChannelGroup {
  EqualizeFamily family = EqualizeFamily::Linear;
  /// True for a factor that stays 1 because something around one of its channels does not commute with factors.
  std::vector<bool> fixed;

  struct Member {
    ValueId value{};
    int axis = 1;
    int from_right = 0;             ///< axes behind it
    std::vector<size_t> factor_of;  ///< by channel: index of its factor
    bool stored = false;  ///< read by something other than an activation of the producer's kernel: its range matters
  };
  std::vector<Member> members;
  std::vector<Use> gates;           ///< products of a member and a gate that gets the factor: node, slot of the gate
  std::vector<NodeId> activations;  ///< nodes that get a Mul behind them
  std::vector<Use> readers;         ///< weighted ops that read a member; of a Branch they alone get the factors
  std::vector<NodeId> writers;      ///< weighted ops that write a member

  /// The upper bound of a Clip, which a value before it must not reach, with or without factors.
  struct Limit {
    ValueId value{};  ///< a member
    float high = 0;
  };
  std::vector<Limit> limits;

  /// Returns nullptr when the value is not a member.
  [[nodiscard]] const Member* find(ValueId value) const;
};

/// In front of which values a Mul may even channels out for layers (EqualizeFamily::Branch).
enum class BranchedValues : uint8_t {
  Normalized,  ///< outputs of normalizations
  OfProducts,  ///< all that MatMul and Gemm read
};

/// Returns every group of the graph, in the order of their first value. A channel keeps the factor 1 when something
/// that does not commute with a positive factor reads or writes it (a graph output, Sigmoid, a normalization's input
/// ...). A value among `branched` whose channels all keep it is a group of the family Branch where layers read it too.
/// shapes  of all values, from a run; values without a shape are left alone
[[nodiscard]] std::vector<ChannelGroup> find_channel_groups(const Graph& graph, const ValueShapes& shapes,
                                                            ActivationFactors activations = ActivationFactors::None,
                                                            BranchedValues branched = BranchedValues::Normalized);

}  // namespace detent
