#include "model/file/wire_fields.h"

namespace detent {

namespace {

std::optional<uint64_t> take_varint(std::string_view& bytes) {
  uint64_t number = 0;
  for (int shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    number |= static_cast<uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return number;
  }
  return std::nullopt;
}

}  // namespace

std::optional<WireField> take_field(std::string_view& bytes) {
  const std::string_view start = bytes;
  const std::optional<uint64_t> tag = take_varint(bytes);
  if (!tag) return std::nullopt;
  std::optional<uint64_t> length;
  WireField field;
  switch (*tag & 7) {
    case 0: length = take_varint(bytes) ? std::optional<uint64_t>(0) : std::nullopt; break;
    case 1: length = 8; break;
    case 2:
      length = take_varint(bytes);
      field.is_delimited = true;
      break;
    case 5: length = 4; break;
    default: break;
  }
  if (!length || *length > bytes.size()) return std::nullopt;
  field.number = *tag >> 3;
  field.content = bytes.substr(0, *length);
  bytes.remove_prefix(*length);
  field.whole = start.substr(0, start.size() - bytes.size());
  return field;
}

}  // namespace detent
