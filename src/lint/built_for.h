#pragma once

#include <cstddef>
#include <string>

#include "lint/lint_graph.h"
#include "lint/reading/qdq_reading.h"
#include "place/targets/target.h"

namespace detent {

/// What the pairs of a file hold: "UINT8 with zero points, INT32 biases", "symmetric INT8". No pairs on activations ->
/// "".
[[nodiscard]] std::string codes_text(const QdqReading& reading);

/// The engine that a file was built for, where that is not the one it is linted for.
struct BuiltFor {
  const Target* target = nullptr;  ///< nullptr: nothing says so
  size_t following = 0;            ///< findings that are not there for it
};

/// `linted`  for `target`. The graph is linted for the other engine too: it was built for that one when errors and
/// warnings are
///           at most a quarter there (half of them may well be what no engine likes). No errors or warnings -> nullptr.
/// Cost      that of lint_graph.
[[nodiscard]] BuiltFor built_for(const LintedGraph& linted, const Graph& graph, const QdqReading& reading,
                                 const Target& target, const ValueShapes& shapes, const LintedFile& file);

}  // namespace detent
