#include "core/json/json_place.h"

#include <cmath>

#include "detent/base/error.h"

namespace detent {

namespace {

using Json = nlohmann::json;

/// Returns a value as a message shows it: "null", "a list", "\"a.png\"".
std::string shown_value(const Json& value) {
  constexpr size_t kLongest = 40;
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  const std::string text = value.dump();
  return text.size() <= kLongest ? text : text.substr(0, kLongest) + "...";
}

}  // namespace

std::optional<JsonPlace> JsonPlace::find(const char* name) const {
  if (!value_.is_object()) expect("an object");
  const auto member = value_.find(name);
  if (member == value_.end()) return std::nullopt;
  return JsonPlace(*member, this, name, 0);
}

JsonPlace JsonPlace::member(const char* name) const {
  if (const auto found = find(name)) return *found;
  refuse("\"" + std::string(name) + "\" is missing");
}

size_t JsonPlace::size() const {
  if (!value_.is_array()) expect("a list");
  return value_.size();
}

const std::string& JsonPlace::text() const {
  if (!value_.is_string()) expect("a text");
  return value_.get_ref<const std::string&>();
}

int64_t JsonPlace::whole(int64_t least, int64_t most) const {
  constexpr double kExact = 9007199254740992;  // 2^53: doubles hold every whole number up to it
  int64_t number = 0;
  bool is_whole = value_.is_number_integer();
  if (value_.is_number_float()) {
    const auto real = value_.get<double>();
    is_whole = std::abs(real) <= kExact && real == std::trunc(real);
    if (is_whole) number = static_cast<int64_t>(real);
  } else if (value_.is_number_unsigned() && value_.get<uint64_t>() > static_cast<uint64_t>(most)) {
    is_whole = false;
  } else if (is_whole) {
    number = value_.get<int64_t>();
  }
  if (!is_whole || number < least || number > most)
    expect("a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  return number;
}

double JsonPlace::number() const {
  if (!value_.is_number()) expect("a number");
  return value_.get<double>();
}

bool JsonPlace::flag() const {
  if (value_.is_boolean()) return value_.get<bool>();
  return number() != 0;
}

std::string JsonPlace::path() const {
  if (!from_) return {};
  const std::string before = from_->path();
  if (!name_) return before + "[" + std::to_string(index_) + "]";
  return before.empty() ? name_ : before + "." + name_;
}

void JsonPlace::refuse(const std::string& what) const {
  const Error error(ErrorCode::InvalidData, what);
  throw from_ ? error.in(path()) : error;
}

void JsonPlace::expect(const std::string& what) const { refuse(what + " is expected, not " + shown_value(value_)); }

}  // namespace detent
