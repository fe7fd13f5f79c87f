#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "model/model.h"
#include "model/onnx_protos.h"

namespace detent::test {

/// Types around a tensor's, the outermost first: "seq", "optional".
using Wrappers = std::vector<std::string>;

/// Turns "optional(seq(float[N])) x" into "float[N] x" and returns the text around it.
inline std::map<std::string, Wrappers> take_wrappers(std::string& text) {
  std::map<std::string, Wrappers> found;
  const auto next = [&] { return std::min(text.find("seq("), text.find("optional(")); };
  for (size_t at = next(); at != std::string::npos; at = next()) {
    Wrappers around;
    while (text.compare(at, 4, "seq(") == 0 || text.compare(at, 9, "optional(") == 0) {
      const size_t open = text.find('(', at);
      around.push_back(text.substr(at, open - at));
      text.erase(at, open + 1 - at);
    }
    const size_t close = text.find(')', at);
    text.erase(close, around.size());
    const size_t name = text.find_first_not_of(' ', close);
    found[text.substr(name, text.find_first_of(" ,)", name) - name)] = around;
  }
  return found;
}

inline void wrap_types(onnx::GraphProto& graph, const std::map<std::string, Wrappers>& wrappers) {
  for (auto* list : {graph.mutable_input(), graph.mutable_output(), graph.mutable_value_info()})
    for (onnx::ValueInfoProto& info : *list) {
      const auto found = wrappers.find(info.name());
      if (found == wrappers.end()) continue;
      const onnx::TypeProto inner = info.type();
      onnx::TypeProto* type = info.mutable_type();
      type->Clear();
      for (const std::string& wrapper : found->second)
        type = wrapper == "seq" ? type->mutable_sequence_type()->mutable_elem_type()
                                : type->mutable_optional_type()->mutable_elem_type();
      *type = inner;
    }
  for (onnx::NodeProto& node : *graph.mutable_node())
    for (onnx::AttributeProto& attribute : *node.mutable_attribute())
      if (attribute.has_g()) wrap_types(*attribute.mutable_g(), wrappers);
}

/// parse_model_text for text with the types seq(...) and optional(...), which libonnx 1.12 cannot parse. A name has the
/// same such type wherever it occurs.
inline Model parse_list_types(std::string text) {
  const auto wrappers = take_wrappers(text);
  Model model = parse_model_text(text);
  wrap_types(*model.mutable_proto().mutable_graph(), wrappers);
  return model;
}

}  // namespace detent::test
