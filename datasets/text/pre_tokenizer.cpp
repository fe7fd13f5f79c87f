#include "datasets/text/pre_tokenizer.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "datasets/text/byte_characters.h"
#include "datasets/text/pattern.h"
#include "datasets/text/unicode.h"
#include "detent/base/error.h"

namespace detent {

namespace {

using Json = nlohmann::json;

/// The fate of the places that a pattern finds.
enum class Found : uint8_t { Removed, Isolated, WithPrevious, WithNext, Contiguous };

Found found_of(const std::string& behavior) {
  if (behavior == "Removed") return Found::Removed;
  if (behavior == "Isolated") return Found::Isolated;
  if (behavior == "MergedWithPrevious") return Found::WithPrevious;
  if (behavior == "MergedWithNext") return Found::WithNext;
  if (behavior == "Contiguous") return Found::Contiguous;
  throw Error(ErrorCode::InvalidData, "the behavior '" + behavior + "' of a pre-tokenizer is not known");
}

/// A place that was found, or what lies between two of them.
struct Part {
  TextRange range;
  bool found = false;
};

/// Returns the text's parts in order.
std::vector<Part> parts_of(const std::string& text, const std::vector<TextRange>& found, bool inverted) {
  std::vector<Part> parts;
  size_t at = 0;
  for (const TextRange& range : found) {
    if (range.first > at) parts.push_back({{at, range.first}, inverted});
    parts.push_back({range, !inverted});
    at = range.end;
  }
  if (at < text.size()) parts.push_back({{at, text.size()}, inverted});
  return parts;
}

/// Joins neighbours as `what` asks.
std::vector<Part> joined_parts(std::vector<Part> parts, Found what) {
  if (what == Found::Removed) std::erase_if(parts, [](const Part& part) { return part.found; });
  if (what == Found::Removed || what == Found::Isolated) return parts;
  std::vector<Part> joined;
  if (what == Found::WithNext) {
    bool behind = false;  // what follows was found
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
      if (part->found && !behind && !joined.empty())
        joined.back().range.first = part->range.first;
      else
        joined.push_back(*part);
      behind = part->found;
    }
    std::ranges::reverse(joined);
    return joined;
  }
  bool before = false;
  for (const Part& part : parts) {
    const bool joins = what == Found::Contiguous ? part.found == before : part.found && !before;
    if (joins && !joined.empty())
      joined.back().range.end = part.range.end;
    else
      joined.push_back(part);
    before = part.found;
  }
  return joined;
}

using FindAll = std::function<std::vector<TextRange>(const std::string&)>;

std::vector<TextPiece> split_all(const std::vector<TextPiece>& pieces, const FindAll& find, Found what, bool inverted) {
  std::vector<TextPiece> split;
  for (const TextPiece& piece : pieces)
    for (const Part& part : joined_parts(parts_of(piece.text, find(piece.text), inverted), what))
      if (part.range.end > part.range.first)
        split.push_back({piece.text.substr(part.range.first, part.range.end - part.range.first),
                         piece.leads && part.range.first == 0});
  return split;
}

PieceSplit splits_at(FindAll find, Found what, bool inverted = false) {
  return [find = std::move(find), what, inverted](const std::vector<TextPiece>& pieces) {
    return split_all(pieces, find, what, inverted);
  };
}

PieceSplit splits_at(const TextPattern& pattern, Found what, bool inverted = false) {
  return splits_at([pattern](const std::string& text) { return pattern.find_all(text); }, what, inverted);
}

/// Finds each character of a kind.
FindAll each_character(bool (*is)(char32_t)) {
  return [is](const std::string& text) {
    std::vector<TextRange> found;
    for (size_t at = 0; at < text.size();) {
      const size_t first = at;
      if (is(next_character(text, at))) found.push_back({first, at});
    }
    return found;
  };
}

/// Finds words, and runs of what is neither word nor blank.
std::vector<TextRange> words_and_signs(const std::string& text) {
  std::vector<TextRange> found;
  int before = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t first = at;
    const char32_t c = next_character(text, at);
    const int kind = is_of_word(c) ? 1 : is_blank(c) ? 0 : 2;
    if (kind != 0 && kind == before)
      found.back().end = at;
    else if (kind != 0)
      found.push_back({first, at});
    before = kind;
  }
  return found;
}

PieceSplit in_turn(std::vector<PieceSplit> splits) {
  return [splits = std::move(splits)](std::vector<TextPiece> pieces) {
    for (const PieceSplit& split : splits) pieces = split(std::move(pieces));
    return pieces;
  };
}

PieceSplit sequence_split(const Json& json) {
  std::vector<PieceSplit> splits;
  for (const Json& one : json.at("pretokenizers")) splits.push_back(read_pre_tokenizer(one));
  return in_turn(std::move(splits));
}

/// Words with the blank in front of them, as GPT-2 takes text apart, then bytes as characters.
PieceSplit byte_level_split(const Json& json) {
  std::vector<PieceSplit> splits;
  if (json.value("add_prefix_space", true))
    splits.push_back([](std::vector<TextPiece> pieces) {
      for (TextPiece& piece : pieces) {
        size_t at = 0;
        if (!is_blank(next_character(piece.text, at))) piece.text.insert(0, " ");
      }
      return pieces;
    });
  if (json.value("use_regex", true))
    splits.push_back(splits_at(
        TextPattern::of_expression(R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)"),
        Found::Isolated));
  splits.push_back([](std::vector<TextPiece> pieces) {
    for (TextPiece& piece : pieces) piece.text = bytes_as_characters(piece.text);
    return pieces;
  });
  return in_turn(std::move(splits));
}

/// Blanks as a sign that stands in front of words.
PieceSplit metaspace_split(const Json& json) {
  const auto sign = json.at("replacement").get<std::string>();
  const std::string scheme = json.contains("prepend_scheme")        ? json.at("prepend_scheme").get<std::string>()
                             : json.value("add_prefix_space", true) ? "always"
                                                                    : "never";
  const PieceSplit cut = splits_at(TextPattern(sign), Found::WithNext);
  return [sign, scheme, cut, cuts = json.value("split", true)](std::vector<TextPiece> pieces) {
    for (TextPiece& piece : pieces) {
      std::string marked;
      for (const char c : piece.text) c == ' ' ? marked += sign : marked += c;
      const bool prepends = scheme == "always" || (scheme == "first" && piece.leads);
      piece.text = prepends && !marked.starts_with(sign) ? sign + marked : marked;
    }
    return cuts ? cut(std::move(pieces)) : pieces;
  };
}

/// A kind of pre-tokenizer.
struct PreTokenizerKind {
  const char* name;
  PieceSplit (*make)(const Json& json);
};

constexpr PreTokenizerKind kPreTokenizers[] = {
    {"Sequence", sequence_split},
    {"ByteLevel", byte_level_split},
    {"Metaspace", metaspace_split},
    {"BertPreTokenizer",
     [](const Json&) {
       return in_turn({splits_at(each_character(is_blank), Found::Removed),
                       splits_at(each_character(is_punctuation), Found::Isolated)});
     }},
    {"Whitespace", [](const Json&) { return splits_at(words_and_signs, Found::Removed, true); }},
    {"WhitespaceSplit", [](const Json&) { return splits_at(each_character(is_blank), Found::Removed); }},
    {"CharDelimiterSplit",
     [](const Json& json) { return splits_at(TextPattern(json.at("delimiter").get<std::string>()), Found::Removed); }},
    {"Punctuation",
     [](const Json& json) {
       return splits_at(each_character(is_punctuation), found_of(json.value("behavior", "Isolated")));
     }},
    {"Digits",
     [](const Json& json) {
       return splits_at(each_character(is_numeric),
                        json.value("individual_digits", false) ? Found::Isolated : Found::Contiguous);
     }},
    {"Split",
     [](const Json& json) {
       return splits_at(TextPattern::of_json(json.at("pattern")), found_of(json.at("behavior").get<std::string>()),
                        json.value("invert", false));
     }},
};

}  // namespace

PieceSplit read_pre_tokenizer(const nlohmann::json& json) {
  if (json.is_null()) return [](std::vector<TextPiece> pieces) { return pieces; };
  const std::string kind = json.at("type").get<std::string>();
  for (const PreTokenizerKind& known : kPreTokenizers)
    if (kind == known.name) return known.make(json);
  throw Error(ErrorCode::InvalidData, "the pre-tokenizer '" + kind + "' is not known");
}

}  // namespace detent
