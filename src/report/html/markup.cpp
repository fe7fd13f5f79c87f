#include "report/html/markup.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>

namespace detent::html {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

/// Returns the bytes of the UTF-8 sequence at the start of `text`; 0 for an invalid one: overlong forms, surrogates and
/// code points above U+10FFFF are invalid (RFC 3629, section 4).
size_t sequence_length(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto in = [](unsigned value, unsigned low, unsigned high) { return value >= low && value <= high; };
  const auto tails = [&](size_t from, size_t to) {
    for (size_t i = from; i < to; ++i)
      if (!in(byte(i), 0x80, 0xBF)) return false;
    return true;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (in(lead, 0xC2, 0xDF)) return tails(1, 2) ? 2 : 0;
  if (in(lead, 0xE0, 0xEF)) {
    const unsigned low = lead == 0xE0 ? 0xA0 : 0x80, high = lead == 0xED ? 0x9F : 0xBF;
    return in(byte(1), low, high) && tails(2, 3) ? 3 : 0;
  }
  if (in(lead, 0xF0, 0xF4)) {
    const unsigned low = lead == 0xF0 ? 0x90 : 0x80, high = lead == 0xF4 ? 0x8F : 0xBF;
    return in(byte(1), low, high) && tails(2, 4) ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::string escape(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  while (!text.empty()) {
    const size_t length = sequence_length(text);
    const auto lead = static_cast<unsigned char>(text[0]);
    if (length == 0 || (lead < 0x20 && lead != '\t' && lead != '\n') || lead == 0x7F) {
      escaped += kReplacement;
      text.remove_prefix(1);
      continue;
    }
    switch (text[0]) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '"': escaped += "&quot;"; break;
      case '\'': escaped += "&#39;"; break;
      default: escaped += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return escaped;
}

std::string name_markup(std::string_view name) {
  std::string html = "<code>";
  size_t start = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    const bool last = i + 1 == name.size(), lone = i == start;
    if (last || lone || std::string_view("/._:").find(name[i]) == std::string_view::npos) continue;
    html += escape(name.substr(start, i + 1 - start)) + "<wbr>";
    start = i + 1;
  }
  return html + escape(name.substr(start)) + "</code>";
}

std::string sentence(std::string clause) {
  if (!clause.empty() && clause[0] >= 'a' && clause[0] <= 'z') clause[0] = static_cast<char>(clause[0] - 'a' + 'A');
  return escape(clause) + ".";
}

std::string escaped_file_name(const std::string& path) {
  return escape(std::filesystem::path(path).filename().string());
}

std::string data_uri(std::string_view type, std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t three = 0;
    for (size_t k = 0; k < 3; ++k)
      three = three << 8U | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (const unsigned shift : {18U, 12U, 6U, 0U}) text += kDigits[three >> shift & 63U];
  }
  for (size_t k = 0; k < (3 - bytes.size() % 3) % 3; ++k) text[text.size() - 1 - k] = '=';
  return "data:" + std::string(type) + ";base64," + text;
}

std::string percentage(double fraction) {
  const double bounded = std::isnan(fraction) ? 0 : std::clamp(fraction, 0.0, 1.0);
  std::string text = fmt::format("{:.2f}", 100 * bounded);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text + "%";
}

}  // namespace detent::html
