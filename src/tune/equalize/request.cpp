#include "tune/equalize/request.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "core/nearest_names.h"
#include "detent/base/error.h"

namespace detent {

namespace {

Error wrong(const std::string& text) {
  return {ErrorCode::Usage, "--equalize: " + text,
          "off, outliers, auto, or a list of gate, relu, linear, norm, act, product, value, branch: gate,relu:0.75"};
}

EqualizeItem parse_item(const std::string& text) {
  const size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  const auto* const family =
      std::ranges::find(kEqualizeFamilies, name, [](EqualizeFamily one) { return name_of(one); });
  if (family == std::end(kEqualizeFamilies)) {
    std::vector<std::string> names{"off", "outliers", "auto"};
    for (const EqualizeFamily one : kEqualizeFamilies) names.emplace_back(name_of(one));
    const Error error = wrong("there is no family '" + name + "'");
    throw Error(error.code(), error.what(), did_you_mean(name, names, error.hint()));
  }
  EqualizeItem item{*family};
  if (colon == std::string::npos) return item;
  const std::string alpha = text.substr(colon + 1);
  char* end = nullptr;
  item.alpha = std::strtod(alpha.c_str(), &end);
  if (alpha.empty() || *end != '\0' || !(item.alpha >= 0 && item.alpha <= 1))
    throw wrong("'" + alpha + "' is not an exponent between 0 and 1");
  return item;
}

}  // namespace

EqualizeRequest parse_equalize(const std::string& text) {
  using Mode = EqualizeRequest::Mode;
  if (text.empty()) return {.mode = Mode::Unset};
  if (text == "off") return {.mode = Mode::Off};
  if (text == "outliers") return {.mode = Mode::Outliers};
  if (text == "auto") return {.mode = Mode::Auto};
  if (text.ends_with(',')) throw wrong("nothing stands behind the last comma");  // getline does not see it
  EqualizeRequest request{.mode = Mode::List};
  std::istringstream items(text);
  for (std::string item; std::getline(items, item, ',');) {
    request.items.push_back(parse_item(item));
    const auto same = [&](const EqualizeItem& other) { return other.family == request.items.back().family; };
    if (std::ranges::count_if(request.items, same) > 1)
      throw wrong(std::string(name_of(request.items.back().family)) + " is named twice");
  }
  std::ranges::sort(request.items, {}, [](const EqualizeItem& item) {
    return std::ranges::find(kEqualizeFamilies, item.family) - std::begin(kEqualizeFamilies);
  });
  return request;
}

std::string to_text(const std::vector<EqualizeItem>& items) {
  std::string text;
  for (const EqualizeItem& item : items) {
    text += (text.empty() ? "" : ",") + std::string(name_of(item.family));
    if (item.alpha != 0.5) text += fmt::format(":{:g}", item.alpha);
  }
  return text.empty() ? "off" : text;
}

}  // namespace detent
