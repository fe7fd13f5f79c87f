#include "report/lists.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace detent {

namespace {

constexpr std::string_view kAny = "...";

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// Returns the end of the quoted name that starts at `at`; npos when none does. A quote after a letter is an
/// apostrophe.
size_t closing_quote(std::string_view sentence, size_t at) {
  if (sentence[at] != '\'') return std::string_view::npos;
  if (at > 0 && std::isalnum(static_cast<unsigned char>(sentence[at - 1])) != 0) return std::string_view::npos;
  return sentence.find('\'', at + 1);
}

size_t end_of_digits(std::string_view sentence, size_t at) {
  while (at < sentence.size() && is_digit(sentence[at])) ++at;
  return at;
}

/// Returns the end of a "3 of 32" before " channels" that starts at `at`; npos when there is none.
size_t end_of_channel_count(std::string_view sentence, size_t at) {
  constexpr std::string_view kOf = " of ", kChannels = " channels";
  const size_t of = end_of_digits(sentence, at);
  if (of == at || !sentence.substr(of).starts_with(kOf)) return std::string_view::npos;
  const size_t end = end_of_digits(sentence, of + kOf.size());
  return end > of + kOf.size() && sentence.substr(end).starts_with(kChannels) ? end : std::string_view::npos;
}

}  // namespace

std::string pattern_of(std::string_view sentence) {
  std::string pattern;
  for (size_t i = 0; i < sentence.size();) {
    if (const size_t end = closing_quote(sentence, i); end != std::string_view::npos) {
      pattern += "'" + std::string(kAny) + "'";
      i = end + 1;
    } else if (is_digit(sentence[i]) && pattern.ends_with("input ")) {
      pattern += kAny;
      i = end_of_digits(sentence, i);
    } else if (const size_t behind = end_of_channel_count(sentence, i); behind != std::string_view::npos) {
      pattern += kAny;
      i = behind;
    } else {
      pattern += sentence[i++];
    }
  }
  return pattern;
}

std::vector<std::vector<size_t>> Listing::groups(const std::vector<std::string>& keys) const {
  std::vector<std::vector<size_t>> groups;
  std::map<std::string_view, size_t> group_of;
  for (size_t i = 0; i < keys.size(); ++i) {
    const auto [found, first] = group_of.try_emplace(keys[i], groups.size());
    if (first || all_)
      groups.push_back({i});
    else
      groups[found->second].push_back(i);
  }
  return groups;
}

size_t Listing::shown(size_t count, size_t usual) {
  if (all_ || count <= usual + 1) return count;
  cut_ = true;
  return usual;
}

std::vector<std::string> Listing::sentences(const std::vector<std::string>& sentences) {
  std::vector<std::string> patterns, result;
  for (const std::string& sentence : sentences) patterns.push_back(pattern_of(sentence));
  for (const std::vector<size_t>& group : groups(patterns)) {
    result.push_back(sentences[group.front()]);
    if (group.size() == 1) continue;
    result.back() += " (" + std::to_string(group.size()) + " like this)";
    cut_ = true;
  }
  return result;
}

std::string Listing::closing() const { return cut_ ? "--all lists everything\n" : ""; }

}  // namespace detent
