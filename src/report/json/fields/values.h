#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace detent::json {

/// The version of all JSON Schemas, MAJOR.MINOR. A new member of any document raises MINOR, every other change MAJOR:
/// src/report/json/README.md.
inline constexpr const char* kSchemaVersion = "2.0";

/// Returns the $id of a schema.
[[nodiscard]] inline std::string schema_id(const std::string& kind) {
  return "urn:detent:" + kind + ":" + kSchemaVersion;
}

/// Values that fields() gives beside numbers, texts, lists, maps and structs with fields(). A double that is not finite becomes null,
/// and so does an empty optional.

/// A number that is always finite.
struct Finite {
  double value = 0;
};

/// A size of a shape: -1 where it is open.
struct OpenSize {
  int64_t value = 0;
};

/// WeightFormat::block: a count, or "channel" for 0.
struct WeightBlock {
  int64_t size = 0;
};

/// A list that is always empty.
using NoList = std::array<bool, 0>;

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

/// A map, or a list of pairs in an order that counts.
template <class T>
concept NamedValues = requires(const T& values) {
  values.begin()->second;
};

/// The report that a view stands on where a schema asks for the view's fields.
template <class Report>
inline const Report kEmptyReport{};

/// Returns the value, or nothing where the condition is false.
template <class T>
[[nodiscard]] std::optional<T> when(bool condition, T value) {
  return condition ? std::optional<T>(std::move(value)) : std::nullopt;
}

/// Returns nothing for an empty text.
[[nodiscard]] inline std::optional<std::string> filled(const std::string& text) { return when(!text.empty(), text); }

/// Returns a view of each item: View{item, rest...}.
template <class View>
[[nodiscard]] std::vector<View> seen_as(const auto& items, const auto&... rest) {
  std::vector<View> views;
  for (const auto& item : items) views.push_back(View{item, rest...});
  return views;
}

/// Returns views of the items that `holds` is true of.
template <class View>
[[nodiscard]] std::vector<View> seen_where(const auto& items, const auto& holds) {
  std::vector<View> views;
  for (const auto& item : items)
    if (holds(item)) views.push_back(View{item});
  return views;
}

}  // namespace detent::json
