//   opset 23, target openvino:   the frontend warns, and reads operators as of opset 21
//
// A frontend that does not know a model's opset refuses it or reads operators in an older version, whose defaults may
// differ.

#include "lint/findings/findings.h"

namespace detent::findings {

void opset_too_new(const LintView& view, FindingLog& log) {
  const int64_t newest = view.target().newest_opset(), opset = view.graph().opset();
  if (newest == 0 || opset <= newest || view.graph().nodes().empty()) return;
  log.add(view.graph().nodes().front().name,
          "the model has opset " + std::to_string(opset) + "; " + view.target().spec() +
              (view.target().parser.refuses_newer ? " refuses one above " : " knows operators up to opset ") +
              std::to_string(newest),
          "export the float model with opset " + std::to_string(newest), {});
}

void operator_not_parsed(const LintView& view, FindingLog& log) {
  for (const Node& node : view.file().graph.nodes())
    if (node.domain.empty() && !view.target().parser.reads(node.op_type))
      log.add(node.name,
              "the parser of " + view.target().spec() + " does not know " + node.op_type +
                  ", and refuses the model without a plugin of that name",
              "a newer version of the engine, or export the float model with opset " +
                  std::to_string(view.target().newest_opset()),
              {});
}

}  // namespace detent::findings
