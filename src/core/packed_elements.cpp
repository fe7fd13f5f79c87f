#include "core/packed_elements.h"

#include "core/index.h"

namespace detent {

bool is_packed(DataType type) { return bit_size(type) % 8 != 0; }

size_t stored_bytes(DataType type, int64_t count) { return (as_index(count) * bit_size(type) + 7) / 8; }

void unpack(std::span<const uint8_t> bytes, Tensor& tensor) {
  auto* out = static_cast<uint8_t*>(tensor.mutable_raw());
  const size_t bits = bit_size(tensor.type());
  const unsigned mask = (1U << bits) - 1;
  const bool is_signed = tensor.type() == DataType::Int4 || tensor.type() == DataType::Int2;
  for (size_t i = 0; i < as_index(tensor.element_count()); ++i) {
    const size_t byte = i * bits / 8, shift = i * bits % 8;
    const unsigned next = byte + 1 < bytes.size() ? bytes[byte + 1] : 0U;
    const unsigned element = ((bytes[byte] | next << 8) >> shift) & mask;
    out[i] = static_cast<uint8_t>(is_signed && element >> (bits - 1) ? element | ~mask : element);
  }
}

std::string pack(const Tensor& tensor) {
  const auto* in = static_cast<const uint8_t*>(tensor.raw());
  const size_t bits = bit_size(tensor.type());
  std::string packed(stored_bytes(tensor.type(), tensor.element_count()), '\0');
  const auto add = [&](size_t byte, unsigned value) {
    packed[byte] = static_cast<char>(static_cast<uint8_t>(packed[byte]) | (value & 0xff));
  };
  for (size_t i = 0; i < as_index(tensor.element_count()); ++i) {
    const size_t byte = i * bits / 8, shift = i * bits % 8;
    const unsigned element = (in[i] & ((1U << bits) - 1)) << shift;
    add(byte, element);
    if (shift + bits > 8) add(byte + 1, element >> 8);
  }
  return packed;
}

}  // namespace detent
