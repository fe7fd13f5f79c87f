#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace detent {

/// How long the lists of a text get.
enum class Lists {
  Capped,  ///< lines that say the same are one line, with the first names and how many more there are
  All      ///< a line for each
};

/// What a sentence says whatever it is said of: "its input 0 comes from Slice 'a'" -> "its input ... comes from Slice
/// '...'". Quoted names, the numbers of inputs and "3 of 32 channels" are left out, all else stays.
[[nodiscard]] std::string pattern_of(std::string_view sentence);

/// The lists of one text. Remembers whether something was left out.
class Listing {
 public:
  explicit Listing(Lists lists) : all_(lists == Lists::All) {}

  [[nodiscard]] bool all() const { return all_; }
  /// Indices of equal keys together, in the order of their first; under Lists::All each by itself.
  [[nodiscard]] std::vector<std::vector<size_t>> groups(const std::vector<std::string>& keys) const;
  /// "a, b, c and 110 more"; "" for none. One name is never left out alone.
  [[nodiscard]] std::string names(const std::vector<std::string>& names);
  /// How many of `count` entries are shown where about `usual` are enough.
  [[nodiscard]] size_t shown(size_t count, size_t usual);
  /// Sentences, those of one pattern as their first and "(30 like this)".
  [[nodiscard]] std::vector<std::string> sentences(const std::vector<std::string>& sentences);
  /// "--all lists everything\n" where something was left out, else "".
  [[nodiscard]] std::string closing() const;

 private:
  bool all_, cut_ = false;
};

}  // namespace detent
