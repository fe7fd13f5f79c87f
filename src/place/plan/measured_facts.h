#pragma once

#include <map>
#include <string>

namespace detent {

/// Measurements that rules depend on. Nodes that stay float because of them (R13, R15) stand by name, each with the
/// reason that the plan gives.
struct MeasuredFacts {
  /// Nodes whose quantization costs more than is allowed. Nodes that the user includes are quantized anyway.
  std::map<std::string, std::string> costly;
  /// The same for engines without float kernels: these nodes get 16-bit activations (H6).
  std::map<std::string, std::string> wide;
  /// Readers of a value of the residual stream that INT8 ruins. Unknown names have no effect: the same names serve the
  /// model before and after its types are changed.
  std::map<std::string, std::string> ruined;
  /// Products whose data have a scale in advance while those of others get theirs at run time (O13).
  std::map<std::string, std::string> fixed;
  /// Blocks of attention, by their first product, that get pairs with `--policy attention=auto` because the data show
  /// that they cost little, and those that stay float because they cost more (R20).
  std::map<std::string, std::string> int8_attention, float_attention;
  /// Values that keep a scale for themselves, although a Concat joins them with others (R5): by name, with the share of
  /// the largest magnitude around the Concat that they reach.
  std::map<std::string, double> apart;

  /// Values that no sample reaches and whose range nothing gives, by name, each with the reason in a clause. None
  /// of them gets a pair. Unknown names have no effect.
  std::map<std::string, std::string> unreached;

  bool operator==(const MeasuredFacts&) const = default;
};

}  // namespace detent
