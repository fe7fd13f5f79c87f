#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "detent/quantize.h"
#include "pipeline/latency/latency_factor.h"
#include "pipeline/parts/chosen.h"

namespace detent {

/// Returns the changes that matter for the plan of the attempt, those of most work first: groups of nodes of one kind
/// that stay float, the other sign of activations, and policies. Left out are changes that leave the plan as it is,
/// that the user chose himself, and groups of nodes that he includes.
[[nodiscard]] std::vector<LatencyFactor> latency_factors(const Attempt& attempt, const QuantizeOptions& options);

/// Returns both halves of a group of nodes, in node order: "convolutions 1 to 9 of 17 float"; nullopt for a factor that
/// has fewer than four nodes.
[[nodiscard]] std::optional<std::pair<LatencyFactor, LatencyFactor>> halves_of(const LatencyFactor& factor,
                                                                               const Attempt& attempt);

/// Returns what is expected of a factor: all groups in float are the float model, and each costs or saves its share of
/// the difference.
/// float_ratio  the float model's time as a part of the default's; 0: unknown
[[nodiscard]] TimeBelief effect_by_share(const LatencyFactor& factor, double float_ratio);

/// Returns the changes in words: "int8 activations, Add and MaxPool in float".
[[nodiscard]] std::string words_of(const std::vector<const LatencyFactor*>& changes);

}  // namespace detent
