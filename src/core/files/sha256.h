#pragma once

#include <string>
#include <string_view>

namespace detent {

/// How it is computed: with the CPU's instructions for it where there are some, or without. The digits are the same.
enum class Sha256Way { Fastest, Portable };

/// SHA-256 as 64 lower-case hexadecimal digits: what `sha256sum` prints for a file of these bytes. Empty text has one
/// too.
/// Source  FIPS 180-4, sections 4.1.2, 5.1.1 and 6.2.
[[nodiscard]] std::string sha256(std::string_view bytes, Sha256Way way = Sha256Way::Fastest);

}  // namespace detent
