#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace detent {

/// Columns of the terminal behind a file descriptor; 80 where it does not say.
[[nodiscard]] size_t terminal_columns(int descriptor);

/// The beginning of a line that takes at most `columns` columns, each UTF-8 character counted as one; a line that is
/// cut ends in "...". Its last column stays free: some terminals wrap when it is filled.
[[nodiscard]] std::string cut_to_columns(std::string_view line, size_t columns);

}  // namespace detent
