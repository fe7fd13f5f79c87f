#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace detent {

/// A value of a document and its path in it, for readers of a known form. A place looks into the document and into the
/// place that it came from: both must outlive it.
/// Errors  InvalidData, from every member that expects something: "images[0].file_name: a text is expected, not 3".
class JsonPlace {
 public:
  explicit JsonPlace(const nlohmann::json& document) : value_(document) {}

  /// Returns the place of a member that must be there.
  [[nodiscard]] JsonPlace member(const char* name) const;
  /// Returns the place of a member; nullopt where it is missing.
  [[nodiscard]] std::optional<JsonPlace> find(const char* name) const;
  /// Returns the number of elements of a list.
  [[nodiscard]] size_t size() const;
  /// Returns the place of an element; `i` below size().
  [[nodiscard]] JsonPlace element(size_t i) const { return {value_[i], this, nullptr, i}; }

  [[nodiscard]] const std::string& text() const;
  /// Returns a whole number in [least, most]; 3.0 is one.
  [[nodiscard]] int64_t whole(int64_t least, int64_t most) const;
  [[nodiscard]] double number() const;
  /// Returns true for true and for numbers other than 0.
  [[nodiscard]] bool flag() const;

  /// Returns "annotations[3].bbox"; "" for the document.
  [[nodiscard]] std::string path() const;
  /// Refuses the value.
  [[noreturn]] void refuse(const std::string& what) const;
  /// Refuses the value, and says what is expected: "a text".
  [[noreturn]] void expect(const std::string& what) const;

 private:
  JsonPlace(const nlohmann::json& value, const JsonPlace* from, const char* name, size_t index)
      : value_(value), from_(from), name_(name), index_(index) {}

  const nlohmann::json& value_;
  const JsonPlace* from_ = nullptr;
  const char* name_ = nullptr;  // of a member; nullptr: an element
  size_t index_ = 0;
};

}  // namespace detent
