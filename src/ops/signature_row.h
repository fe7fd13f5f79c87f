#pragma once

#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ops/signature_notation.h"

namespace detent {

/// Operators with the same signatures, and those as text that is checked when it is compiled.
struct SignatureRow {
  consteval SignatureRow(const char* names, const char* text) : op_types(names), signatures(text) {
    (void)signature_notation::parse(text);
  }
  std::string_view op_types, signatures;
};

using SignatureTable = std::unordered_map<std::string_view, std::vector<Signature>>;

/// Returns the signatures of each operator of the rows, oldest first.
[[nodiscard]] inline SignatureTable read_rows(std::span<const SignatureRow> rows) {
  SignatureTable table;
  for (const SignatureRow& row : rows)
    for (const std::string_view op_type : signature_notation::words_of(row.op_types))
      table.emplace(op_type, signature_notation::parse(row.signatures));
  return table;
}

}  // namespace detent
