#pragma once

#include <filesystem>

#include "rewrite/promised_pairs.h"
#include "rewrite/written_pairs.h"

namespace detent {

/// The user's requests that the plan does not hold.
struct QdqCheckOptions {
  bool quantize_outputs = false;    ///< pairs may stand on graph outputs
  bool per_tensor_weights = false;  ///< weights have one scale
};

/// Everything that is wrong in a written graph, in the order of its nodes; empty when it keeps the promise.
///
/// Shares nothing with the code that decided and wrote: pairs are found by following the file's nodes. Checked are
/// scales (constant, positive, finite) and zero points (given, of a type and value that the target takes), the axis
/// attribute (there, right for the operator, as many scales as channels), pairs (complete, one grid), one grid within a
/// scale group, no pair on graph outputs, the opset, every input of every node against the plan, and every constant
/// against the model's (check_content.h) unless promised.forget_contents().
/// Source  ONNX QuantizeLinear-13 and -19; facts in src/place/targets.
[[nodiscard]] std::vector<Flaw> find_qdq_flaws(const Graph& written, const PromisedFile& promised,
                                               const QdqCheckOptions& options = {});

/// Flaws in the numbers of one QuantizeLinear or DequantizeLinear, whatever it stands on; `type` is that of all codes.
[[nodiscard]] std::vector<Flaw> find_grid_flaws(const Graph& written, const Node& node, const Target& target,
                                                CodeType type = CodeType::Int8);

/// Errors  Internal naming the file, the first flawed node, what is wrong, and how many more flaws there are.
void check_qdq_file(const Graph& written, const std::filesystem::path& path, const PromisedFile& promised,
                    const QdqCheckOptions& options);

}  // namespace detent
