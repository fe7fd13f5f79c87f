#pragma once

#include <string>
#include <vector>

#include "detent/base/data_source.h"
#include "detent/options/run_settings.h"
#include "place/plan/placement_plan.h"
#include "tune/float_variants.h"

namespace detent {

/// The SQNR of the outputs in dB (score_db) above which no layer is looked for: a single bad value leaves less.
inline constexpr double kEnoughDb = 24;
/// The SQNR of the best calibrator on the few samples of a choice above which none is looked for.
inline constexpr double kSurelyEnoughDb = kEnoughDb + 6;
/// The SQNR below which a network is useless, so that more layers may become float.
inline constexpr double kRuinedDb = 10;
/// The least that a float layer has to raise it by: half of the noise.
inline constexpr double kRuinDb = 3;
/// The same where the network is not ruined, so that at most 2 % of the multiplications become float.
inline constexpr double kCheapRuinDb = 2;

/// Returns the names of the quantized layers that read the codes of a value, also behind copies, or make it; without
/// any, those of other nodes that compute with its codes.
[[nodiscard]] std::vector<std::string> layers_around(const Graph& graph, const PlacementPlan& plan, ValueId value);

/// Finds layers through which 8 bits of one value ruin the whole network, such as a depthwise Conv that reads a
/// few large elements: by node name, with the reason for the plan.
///
/// Suspects  6 values with layers_around(): those whose pairs alone leave the outputs less than 30 dB on 2 samples
///           (find_costly_values), the worst first; where these are fewer, those that 8 bits keep least of by their
///           histograms, in the ranges given. Layers that the user includes are none.
/// Measured  each suspect float beside those found so far, on the 2 of 8 samples that the whole plan costs most, and
/// the
///           best two on 8. The one that raises the outputs most is taken if it raises them by kCheapRuinDb, or by
///           kRuinDb below kRuinedDb; then again, until they have kEnoughDb. Two steps may count together.
/// Price     at most 2 % of the multiplications become float; 20 % while the outputs have less than kRuinedDb.
/// 16 bits   For an engine without float kernels (Target::has_wide_islands) every node is a suspect that leaves less
///           than 26 dB alone. The fewest of 1, 2, 4 ... with which the outputs have 20 dB, or the best, get 16 bits.
///           At most 20 % of the multiplications do.
/// Cost      8 samples; below kEnoughDb finding the values, and 2 samples of each suspect where none of them helps.
/// No data on which outputs can be compared -> none.
/// source  the calibration data
/// Errors    those of measuring, rewriting and running; Interrupted.
[[nodiscard]] KeptFloat find_ruinous_layers(PairVariants& variants, const DataSource& source,
                                            const RunSettings& settings);

}  // namespace detent
