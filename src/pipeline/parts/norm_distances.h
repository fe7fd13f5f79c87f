#pragma once

#include <string>
#include <vector>

#include "detent/base/data_source.h"
#include "detent/options/run_settings.h"
#include "model/model.h"

namespace detent {

/// Returns how far the first batch normalizations of a network are from what they saw in training, one number a sample:
/// log(1 + d), where d is the Kullback-Leibler divergence of the normal distribution of a channel's numbers from the
/// one that the node stores, averaged over channels, and the logarithm over at most three nodes. It is 0 for the
/// training's own statistics. Empty: the network has no such node, as where they were folded, or no sample can be read.
/// Source  of the divergence: Kullback, "Information Theory and Statistics" (1959), chapter 9.
/// Errors  those of reading and running.
[[nodiscard]] std::vector<double> norm_distances(const Model& model, const DataSource& source,
                                                 const RunSettings& settings);

/// True where norm_distances() has something to look at.
[[nodiscard]] bool has_norms(const Model& model);

}  // namespace detent
