#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace detent {

/// One field of a serialised protobuf message.
struct WireField {
  uint64_t number = 0;
  std::string_view whole;    ///< all its bytes
  std::string_view content;  ///< the content of a length-delimited field
  bool is_delimited = false;
};

/// Takes the field that `bytes` begin with. nullopt for cases that protobuf has to judge: truncated fields, groups.
/// Source  protobuf's encoding: a tag of number and wire type, and a varint (0), 8 bytes (1), length and content (2) or
/// 4
///         bytes (5).
[[nodiscard]] std::optional<WireField> take_field(std::string_view& bytes);

}  // namespace detent
