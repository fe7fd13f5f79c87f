#pragma once

#include <functional>
#include <set>
#include <span>
#include <string>

#include "model/graph_patch.h"

namespace detent {

/// True when the constant has `channels` numbers along the axis that lies `from_right` of its end, or is broadcast there.
[[nodiscard]] bool has_channels(const Tensor& constant, size_t from_right, size_t channels);

/// Every element of the constant combined with the number of its channel, which the axis `from_right` of its end counts;
/// spread over the channels where it is broadcast there. Computed in double, rounded once to the constant's type.
/// The constant must satisfy has_channels(constant, from_right, numbers.size()).
[[nodiscard]] Tensor over_channels(const Tensor& constant, size_t from_right, std::span<const double> numbers,
                                   const std::function<double(double, double)>& combine);

/// A patch that gives nodes other constants.
class ConstantEditor {
 public:
  /// `graph` must outlive it.
  explicit ConstantEditor(const Graph& graph) : graph_(graph) {}

  /// The node reads `content` in `slot` from now on: in place where nobody else reads the constant that is there and the
  /// shape stays, else from an initializer of its own, named after the node's output and `suffix`.
  void replace(const Node& node, size_t slot, Tensor content, const std::string& suffix);
  /// A value name that neither the graph nor the patch has.
  [[nodiscard]] std::string fresh(const std::string& wish);

  [[nodiscard]] GraphPatch& patch() { return patch_; }
  /// The patch, with its reason where it changes anything.
  [[nodiscard]] GraphPatch take(const std::string& reason);

 private:
  const Graph& graph_;
  std::set<std::string> names_;
  GraphPatch patch_;
};

}  // namespace detent
