#pragma once

#include <optional>

#include "detent/quantize.h"
#include "evaluate/closing_error.h"
#include "lint/view/linted_file.h"
#include "model/graph_patch.h"
#include "rewrite/rewrite.h"

namespace detent {

/// Describes what was done about products that saturate on CPUs without VNNI; the error is not filled in. nullopt where
/// none can.
[[nodiscard]] std::optional<SaturationReport> describe_saturation(const RewriteOptions& format,
                                                                  const PairedWeights& paired);

/// The closing error that a verdict rests on: that of the arithmetic which does worse. `saturated` is that of CPUs
/// without VNNI.
struct WorseArithmetic {
  const std::optional<ClosingError>& closing;
  std::string caveat;  ///< a sentence that names both, where they differ by 0.1 dB or more; empty otherwise
};
[[nodiscard]] WorseArithmetic worse_of(const std::optional<ClosingError>& exact,
                                       const std::optional<ClosingError>& saturated);

/// The file with float activations: what reads a pair reads what stood in front of it. Weights stay codes.
[[nodiscard]] GraphPatch without_activation_pairs(const Graph& file);

/// SQNR of a file with CPUs that have VNNI and with those that do not, against itself with float activations, on up to
/// 16 samples. nullopt where no output can be compared.
/// Errors  those of running; Interrupted.
[[nodiscard]] std::optional<LintedFile::CpuLoss> measure_cpu_loss(const Model& file, const DataSource& source,
                                                                  const RunSettings& settings);

/// `settings` with the arithmetic of x86 CPUs without VNNI.
[[nodiscard]] RunSettings without_vnni(RunSettings settings);

}  // namespace detent
