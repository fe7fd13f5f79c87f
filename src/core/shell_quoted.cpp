#include "core/shell_quoted.h"

namespace detent {

namespace {

constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";

}  // namespace

std::string shell_quoted(std::string_view argument) {
  if (!argument.empty() && argument.find_first_not_of(kPlain) == std::string_view::npos) return std::string(argument);
  std::string text = "'";
  for (const char character : argument) text += character == '\'' ? std::string("'\\''") : std::string(1, character);
  return text + "'";
}

}  // namespace detent
