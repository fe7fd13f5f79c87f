#pragma once

#include <string>
#include <string_view>

namespace detent::html {

/// Text as it may stand between tags and in quoted attributes: & < > " ' become entities. Bytes that are not UTF-8 and
/// control characters that HTML forbids become U+FFFD.
[[nodiscard]] std::string escape(std::string_view text);

/// A name from the model, escaped, in code type: long ones may break behind / . _ and :
[[nodiscard]] std::string name_markup(std::string_view name);

/// A clause with a capital and a full stop, escaped.
[[nodiscard]] std::string sentence(std::string clause);

/// Last part of a path, escaped.
[[nodiscard]] std::string escaped_file_name(const std::string& path);

/// A position or length as SVG takes it, so that a chart stretches with the page: 0.25 -> "25%". Clamped to [0, 1].
[[nodiscard]] std::string percentage(double fraction);

}  // namespace detent::html
