#include "model/graph/nodes_matching.h"

#include <regex>

#include "detent/base/error.h"

namespace detent {

std::vector<NodeId> nodes_matching(const Graph& graph, const std::string& pattern, const std::string& option) {
  std::regex regex;
  try {
    regex = std::regex(pattern, std::regex::ECMAScript);
  } catch (const std::regex_error& error) {
    throw Error(ErrorCode::InvalidOption, option + " '" + pattern + "' is not a regular expression: " + error.what(),
                "ECMAScript syntax; escape ( ) [ ] . * + ? with a backslash");
  }
  std::vector<NodeId> found;
  for (const Node& node : graph.nodes())
    if (std::regex_search(node.name, regex)) found.push_back(node.id);
  if (found.empty())
    throw Error(ErrorCode::InvalidOption, option + " '" + pattern + "' matches no node of the model",
                "`detent plan` and `detent lint` list the names; unnamed nodes are called OP_index");
  return found;
}

}  // namespace detent
