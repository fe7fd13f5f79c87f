#pragma once

#include <span>
#include <vector>

namespace detent {

/// Returns the counts of a histogram with its atoms cut down.
///
/// An atom is one number that very many elements share: a dead ReLU6 channel of a depthwise layer is constant, and its
/// elements stand in one bin far above the neighbours. The divergence has a false minimum exactly behind such a spike,
/// because a window that ends there has nothing to spread (0.45 of 6 on a MobileNetV2 for CIFAR-10).
///
/// A bin is an atom where it holds more than kAtomShare of all elements and more than kAtomFactor times the median of
/// the 2 * kAtomReach bins around it (fewer at the ends); it is cut to that multiple. A median of 0 cuts nothing: data
/// with few distinct values consists of atoms.
/// Cost  O(bins * kAtomReach).
[[nodiscard]] std::vector<double> without_atoms(std::span<const double> counts);

inline constexpr double kAtomFactor = 4;          ///< of the median around it
inline constexpr double kAtomShare = 1.0 / 4096;  ///< of all elements
inline constexpr int kAtomReach = 16;             ///< bins on either side

}  // namespace detent
