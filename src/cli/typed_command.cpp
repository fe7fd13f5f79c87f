#include "cli/typed_command.h"

#include <string_view>

namespace detent::cli {

namespace {

constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";

std::string shell_quoted(std::string_view argument) {
  if (!argument.empty() && argument.find_first_not_of(kPlain) == std::string_view::npos) return std::string(argument);
  std::string text = "'";
  for (const char character : argument) text += character == '\'' ? std::string("'\\''") : std::string(1, character);
  return text + "'";
}

}  // namespace

std::string typed_command(std::span<const char* const> arguments) {
  std::string text = "detent";
  for (const char* argument : arguments) text += " " + shell_quoted(argument);
  return text;
}

}  // namespace detent::cli
