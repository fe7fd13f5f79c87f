#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "core/text.h"
#include "explain/advice.h"

namespace detent {

namespace {

/// A name in parts: text and numbers alternate, text first.
using Parts = std::vector<std::string>;

bool is_digit(char character) { return std::isdigit(static_cast<unsigned char>(character)) != 0; }

Parts parts_of(const std::string& name) {
  Parts parts(1);
  for (const char character : name) {
    if (is_digit(character) != (parts.size() % 2 == 0)) parts.emplace_back();
    parts.back() += character;
  }
  return parts;
}

/// Returns the parts without numbers: what alike names have in common.
Parts texts_of(const Parts& parts) {
  Parts texts;
  for (size_t i = 0; i < parts.size(); i += 2) texts.push_back(parts[i]);
  texts.push_back(std::to_string(parts.size()));
  return texts;
}

/// Puts a backslash in front of characters that mean something in a regular expression.
std::string escaped(const std::string& text) {
  std::string plain;
  for (const char character : text) {
    if (std::string_view("\\^$*+?()[]{}|").find(character) != std::string_view::npos) plain += '\\';
    plain += character;
  }
  return plain;
}

/// Names that differ in numbers only. An empty part stands for the numbers that differ.
struct Family {
  Parts parts;
  std::vector<std::string> names;

  [[nodiscard]] bool holds(const Parts& name) const {
    if (name.size() != parts.size()) return false;
    for (size_t i = 0; i < parts.size(); ++i)
      if ((i % 2 == 0 || !parts[i].empty()) && parts[i] != name[i]) return false;
    return true;
  }

  [[nodiscard]] std::string pattern() const {
    std::string text;
    for (size_t i = 0; i < parts.size(); ++i) text += i % 2 == 1 && parts[i].empty() ? "[0-9]+" : escaped(parts[i]);
    return text;
  }
};

std::vector<Family> families_of(const std::vector<std::string>& names) {
  std::vector<Family> families;
  std::map<Parts, size_t> family_of;
  for (const std::string& name : names) {
    const Parts parts = parts_of(name);
    const auto [entry, added] = family_of.try_emplace(texts_of(parts), families.size());
    if (added) families.push_back({parts, {}});
    Family& family = families[entry->second];
    family.names.push_back(name);
    for (size_t i = 1; i < parts.size(); i += 2)
      if (family.parts[i] != parts[i]) family.parts[i].clear();
  }
  return families;
}

}  // namespace

std::string pattern_of(const std::vector<std::string>& nodes, const std::vector<std::string>& others) {
  const std::set<std::string> wanted(nodes.begin(), nodes.end());
  std::vector<std::string> patterns;
  for (const Family& family : families_of({wanted.begin(), wanted.end()})) {
    const bool alone = std::ranges::none_of(
        others, [&](const std::string& other) { return !wanted.contains(other) && family.holds(parts_of(other)); });
    if (alone)
      patterns.push_back(family.pattern());
    else
      for (const std::string& name : family.names) patterns.push_back(escaped(name));
  }
  const std::string all = join(patterns, "|");
  const bool inside = std::ranges::any_of(others, [&](const std::string& other) {
    return !wanted.contains(other) && std::ranges::any_of(wanted, [&other](const std::string& name) {
      return other.find(name) != std::string::npos;
    });
  });
  const bool differs = all.find("[0-9]+") != std::string::npos;
  if (!inside && !differs) return all;
  return patterns.size() == 1 ? "^" + all + "$" : "^(" + all + ")$";
}

}  // namespace detent
