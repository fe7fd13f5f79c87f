#pragma once

#include <string>
#include <string_view>

namespace detent {

/// The way to compute it: with the CPU's instructions where it has them, or without. The digits are the same.
enum class Sha256Way { Fastest, Portable };

/// Returns SHA-256 as 64 lower-case hexadecimal digits, as `sha256sum` prints for a file of these bytes.
/// Source  FIPS 180-4, sections 4.1.2, 5.1.1 and 6.2.
[[nodiscard]] std::string sha256(std::string_view bytes, Sha256Way way = Sha256Way::Fastest);

}  // namespace detent
