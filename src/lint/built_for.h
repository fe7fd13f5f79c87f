#pragma once

#include <cstddef>
#include <string>

#include "lint/lint_graph.h"
#include "lint/reading/qdq_reading.h"
#include "place/engines/target.h"

namespace detent {

/// Describes the codes of a file's pairs: "UINT8 with zero points, INT32 biases", "symmetric INT8". No pairs on
/// activations -> "".
[[nodiscard]] std::string codes_text(const QdqReading& reading);

/// The engine that a file was built for, if it is another than the one it is linted for.
struct BuiltFor {
  const Target* target = nullptr;  ///< nullptr: unknown
  size_t following = 0;            ///< findings that do not occur for it
};

/// Finds the engine that a file was built for: lints the graph for the other engine too, which it was built for when
/// its errors and warnings are at most a quarter (half of them may be problems of every engine).
/// linted  for `target`; no errors or warnings -> nullptr
/// Cost    that of lint_graph.
[[nodiscard]] BuiltFor built_for(const LintedGraph& linted, const Graph& graph, const QdqReading& reading,
                                 const Target& target, const ValueShapes& shapes, const LintedFile& file);

}  // namespace detent
