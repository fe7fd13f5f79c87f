#pragma once

#include <vector>

#include "detent/data_source.h"
#include "detent/run_settings.h"
#include "model/model.h"
#include "tune/float_variants.h"

namespace detent {

/// A choice, and what is known of it before any are tried together.
struct RankedChoice {
  FloatChoice what;
  double macs_share = 0;  ///< of all MACs, that would be float with it
  double alone_db = 0;    ///< SQNR of the worst output where it alone is INT8

  /// What keeping it float costs: its MACs, and something for being one more.
  [[nodiscard]] double price(size_t choices) const;
};

/// The choices of `variants`, each measured alone on 64 of the samples (those whose names have the smallest hash), by the noise that
/// it puts on the worst of the values `names` for what keeping it float costs, most first.
/// Errors  those of measure_layer_errors.
[[nodiscard]] std::vector<RankedChoice> rank_choices(FloatVariants& variants, const Model& model,
                                                     const std::vector<std::string>& names, const DataSource& source,
                                                     const RunSettings& settings);

}  // namespace detent
