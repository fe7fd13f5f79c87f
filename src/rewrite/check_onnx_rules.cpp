#include "rewrite/check_onnx_rules.h"

#include <algorithm>
#include <set>

#include "ops/traits.h"

namespace detent {

namespace {

bool has_pair(const Graph& graph) {
  return std::ranges::any_of(graph.nodes(), [&](const Node& node) {
    const OpKind kind = traits_of(graph, node).kind;
    return kind == OpKind::QuantizeLinear || kind == OpKind::DequantizeLinear;
  });
}

}  // namespace

void check_onnx_rules(const Graph& written, const std::filesystem::path& path, std::span<const GraphFault> source,
                      Reporter& reporter) {
  std::set<std::string> told;
  const bool strict = has_pair(written);
  for (const GraphFault& fault : find_graph_faults(written)) {
    const bool is_new = std::ranges::find(source, fault.where, &GraphFault::where) == source.end();
    if (is_new || (strict && fault.where.starts_with("node ")))
      throw blamed_on(source, {ErrorCode::Internal,
                               path.string() + ": engines would refuse the file: " + fault.where + ": " + fault.what,
                               "this is a defect of Detent, not of the model; nothing was written"});
    if (told.insert(fault.where).second)
      reporter.warn("the model itself breaks a rule of ONNX, and engines may refuse the written file: " + fault.where +
                    ": " + fault.what);
  }
}

Error blamed_on(std::span<const GraphFault> source, const Error& error) {
  if (source.empty() || error.code() != ErrorCode::Internal) return error;
  return {ErrorCode::InvalidModel,
          "the model itself breaks a rule of ONNX: " + source.front().where + ": " + source.front().what,
          "mend that first; nothing was written, since " + std::string(error.what())};
}

}  // namespace detent
