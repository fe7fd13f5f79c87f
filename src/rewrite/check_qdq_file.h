#pragma once

#include <filesystem>

#include "rewrite/promised_pairs.h"
#include "rewrite/written_pairs.h"

namespace detent {

/// User options that are not in the plan.
struct QdqCheckOptions {
  bool quantize_outputs = false;    ///< pairs may stand on graph outputs
  bool per_tensor_weights = false;  ///< weights have one scale
};

/// Returns all flaws of a written graph, in the order of its nodes; empty when it keeps the promise.
///
/// Shares no code with the planner and the writer: it finds pairs by following the file's nodes. Scales are constant,
/// positive and finite; zero points are given, of a type and value that the target takes. The axis attribute is present
/// and right for the operator, with as many scales as channels. Pairs are complete and have one grid, as has a scale
/// group. No pair stands on graph outputs. The opset, every input of every node and every constant are those of plan
/// and model (check_content.h); constants are left out after promised.forget_contents().
/// Source  ONNX QuantizeLinear-13 and -19; facts in src/place/engines.
[[nodiscard]] std::vector<Flaw> find_qdq_flaws(const Graph& written, const PromisedFile& promised,
                                               const QdqCheckOptions& options = {});

/// Returns the flaws in the numbers of one QuantizeLinear or DequantizeLinear; `type` is the type of all codes.
[[nodiscard]] std::vector<Flaw> find_grid_flaws(const Graph& written, const Node& node, const Target& target,
                                                CodeType type = CodeType::Int8);

/// Checks a written file.
/// Errors  Internal naming the file, the first flawed node, the flaw, and how many more there are.
void check_qdq_file(const Graph& written, const std::filesystem::path& path, const PromisedFile& promised,
                    const QdqCheckOptions& options);

}  // namespace detent
