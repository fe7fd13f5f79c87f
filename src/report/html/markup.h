#pragma once

#include <string>
#include <string_view>

namespace detent::html {

/// Escapes text for elements and quoted attributes: & < > " ' become entities. Bytes that are not UTF-8 and control
/// characters that HTML forbids become U+FFFD.
[[nodiscard]] std::string escape(std::string_view text);

/// Returns a name from the model, escaped, in code type; long ones may break after / . _ and :
[[nodiscard]] std::string name_markup(std::string_view name);

/// Returns a clause with a capital and a full stop, escaped.
[[nodiscard]] std::string sentence(std::string clause);

/// Returns the last part of a path, escaped.
[[nodiscard]] std::string escaped_file_name(const std::string& path);

/// Returns a file as the text of an attribute: "data:image/jpeg;base64,...".
[[nodiscard]] std::string data_uri(std::string_view type, std::string_view bytes);

/// Returns a position or length for SVG that scales with the page: 0.25 -> "25%". Clamped to [0, 1].
[[nodiscard]] std::string percentage(double fraction);

}  // namespace detent::html
