#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace detent {

/// What a quantized model is worth.
enum class Quality { Good, Doubtful, Broken };
/// "good", "doubtful", "broken".
[[nodiscard]] constexpr std::string_view name_of(Quality quality) {
  return quality == Quality::Good ? "good" : quality == Quality::Doubtful ? "doubtful" : "broken";
}

struct VerdictReport {
  std::optional<Quality> quality;    ///< absent: the error was not measured, or there is nothing to measure
  std::vector<std::string> reasons;  ///< clauses: what it rests on, the worst first
  std::vector<std::string> caveats;  ///< sentences: what one must know to trust it
  struct Blame {
    std::string value;
    double sqnr_db = 0;          ///< of the value behind its own pair
    double sqnr_db_without = 0;  ///< of the outputs, when this value alone has no pair
  };
  std::vector<Blame> blame;        ///< the values that cost most, worst first; measured unless it is good
  double blame_sqnr_db = 0;        ///< of the outputs with all pairs, on the samples that the blame was measured on
  std::vector<std::string> cures;  ///< options to try next, the likeliest first; unless it is good
};

}  // namespace detent
