#pragma once

#include <optional>
#include <vector>

#include "equalize/channel_axis.h"
#include "equalize/equalization.h"
#include "equalize/tie_channels.h"

namespace detent {

/// Values whose channels can be multiplied by factors without changing the results of the network, because the nodes
/// that write them can multiply and the nodes that read them can divide, each in its constants.
struct ChannelGroup {
  EqualizeFamily family = EqualizeFamily::Linear;
  /// By factor: it stays 1, because something around one of its channels does not commute with factors.
  std::vector<bool> fixed;

  struct Member {
    ValueId value = kNoValue;
    int axis = 1;
    int from_right = 0;             ///< axes behind it
    std::vector<size_t> factor_of;  ///< by channel: index of its factor
    bool stored = false;  ///< a reader other than an activation that runs with the producer: its range matters
  };
  std::vector<Member> members;
  std::vector<Use> gates;  ///< products of a member and a gate that is to be multiplied: node, slot of the gate
  std::vector<NodeId> activations;  ///< that are to get a Mul behind them
  std::vector<Use> readers;         ///< weighted ops that read a member
  std::vector<NodeId> writers;      ///< weighted ops that write a member

  /// A Clip whose upper bound must not be reached: by the values before it, neither as they are nor multiplied.
  struct Limit {
    ValueId value = kNoValue;  ///< a member
    float high = 0;
  };
  std::vector<Limit> limits;

  /// nullptr when the value is no member.
  [[nodiscard]] const Member* find(ValueId value) const;
};

/// Every group of the graph, in the order of their first value. A channel stays as it is when it is read or written by
/// anything that does not commute with a positive factor (a graph output, Sigmoid, a normalization's input ...).
/// shapes  of all values, from a run; values without a shape are left alone.
[[nodiscard]] std::vector<ChannelGroup> find_channel_groups(const Graph& graph, const ValueShapes& shapes,
                                                            ActivationFactors activations = ActivationFactors::None);

}  // namespace detent
