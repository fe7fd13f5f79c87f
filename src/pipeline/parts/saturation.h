#pragma once

#include <optional>

#include "detent/quantize.h"
#include "evaluate/closing_error.h"
#include "lint/view/linted_file.h"
#include "model/graph_patch.h"
#include "rewrite/rewrite.h"

namespace detent {

/// Describes how products that saturate on CPUs without VNNI were handled, without the error. nullopt where none can.
[[nodiscard]] std::optional<SaturationReport> describe_saturation(const RewriteOptions& format,
                                                                  const PairedWeights& paired);

/// The closing error of the arithmetic that does worse. `saturated` is that of CPUs without VNNI.
struct WorseArithmetic {
  const std::optional<ClosingError>& closing;
  std::string caveat;  ///< a sentence with both, where they differ by 0.1 dB or more; empty otherwise
  const std::optional<ClosingError>& exact;
};
[[nodiscard]] WorseArithmetic worse_of(const std::optional<ClosingError>& exact,
                                       const std::optional<ClosingError>& saturated);

/// Returns the patch that removes the pairs of activations. Weights stay codes.
[[nodiscard]] GraphPatch without_activation_pairs(const Graph& file);

/// Returns the SQNR of a file on CPUs with VNNI and on those without, against the file with float activations, on up to
/// 16 samples. nullopt where no output can be compared.
/// Errors  those of running; Interrupted.
[[nodiscard]] std::optional<LintedFile::CpuLoss> measure_cpu_loss(const Model& file, const DataSource& source,
                                                                  const RunSettings& settings);

/// Returns `settings` with the arithmetic of x86 CPUs without VNNI.
[[nodiscard]] RunSettings without_vnni(RunSettings settings);

}  // namespace detent
