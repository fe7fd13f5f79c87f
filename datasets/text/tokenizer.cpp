#include "datasets/text/tokenizer.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/json/parse_json.h"
#include "datasets/base/natural_order.h"
#include "datasets/text/normalizer.h"
#include "datasets/text/unicode.h"
#include "detent/base/error.h"

namespace detent {

namespace {

using Json = nlohmann::json;

/// True where the character that ends `text` is of a word.
bool ends_with_word(std::string_view text) {
  if (text.empty()) return false;
  size_t at = text.size() - 1;
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
  return is_of_word(next_character(text, at));
}

bool begins_with_word(std::string_view text) {
  size_t at = 0;
  return !text.empty() && is_of_word(next_character(text, at));
}

/// Returns where the blanks begin that end `text`.
size_t trailing_blanks(std::string_view text) {
  size_t first = text.size();
  for (size_t at = 0; at < text.size();) {
    const size_t here = at;
    if (!is_blank(next_character(text, at)))
      first = text.size();
    else if (first == text.size())
      first = here;
  }
  return first;
}

/// Returns how many bytes of blanks begin `text`.
size_t leading_blanks(std::string_view text) {
  size_t at = 0;
  for (size_t next = 0; next < text.size() && is_blank(next_character(text, next));) at = next;
  return at;
}

const Json& member(const Json& json, const char* name) {
  static const Json kNull;
  const auto found = json.find(name);
  return found == json.end() ? kNull : *found;
}

}  // namespace

bool Tokenizer::is_one(const std::filesystem::path& path) { return lower_extension(path) == ".json"; }

void Tokenizer::read_added(const nlohmann::json& json) {
  for (const Json& token : json) {
    Added added{.text = token.at("content").get<std::string>(),
                .whole_word = token.value("single_word", false),
                .takes_left = token.value("lstrip", false),
                .takes_right = token.value("rstrip", false)};
    if (added.text.empty()) continue;
    added.id = model_->id_of(added.text).value_or(read_token_id(token.at("id")));
    if (!padding_id_ && (added.text == "[PAD]" || added.text == "<pad>")) padding_id_ = added.id;
    const bool normalized = token.value("normalized", !token.value("special", false));
    if (normalized) added.text = normalize_(added.text);
    if (!added.text.empty()) (normalized ? in_normalized_ : in_text_).tokens.push_back(std::move(added));
  }
  in_text_.sort();
  in_normalized_.sort();
}

void Tokenizer::AddedTokens::sort() {
  // The longest of those that begin at one place is found.
  std::ranges::stable_sort(tokens, [](const Added& a, const Added& b) { return a.text.size() > b.text.size(); });
  for (const Added& token : tokens)
    if (first_bytes.find(token.text.front()) == std::string::npos) first_bytes += token.text.front();
}

Tokenizer Tokenizer::read(const std::filesystem::path& path) {
  try {
    const Json json = read_json(path);
    if (!json.is_object() || !json.contains("model"))
      throw Error(ErrorCode::InvalidData, "no \"model\", so it is no tokenizer.json",
                  "the file tokenizer.json lies beside the model's weights; vocab=FILE takes lists of tokens, too");
    Tokenizer tokenizer;
    tokenizer.normalize_ = read_normalizer(member(json, "normalizer"));
    tokenizer.split_ = read_pre_tokenizer(member(json, "pre_tokenizer"));
    tokenizer.model_ = read_token_model(json.at("model"));
    tokenizer.frame_ = TokenFrame::read(member(json, "post_processor"));
    if (const Json& padding = member(json, "padding"); padding.is_object())
      tokenizer.padding_id_ = read_token_id(padding.at("pad_id"));
    if (const Json& cut = member(json, "truncation"); cut.is_object())
      tokenizer.most_tokens_ = static_cast<size_t>(read_token_id(cut.at("max_length")));
    tokenizer.read_added(member(json, "added_tokens"));
    return tokenizer;
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorCode::InvalidData, path.string() + ": no tokenizer.json that can be read: " + error.what());
  } catch (const Error& error) {
    if (error.code() != ErrorCode::InvalidData || std::string_view(error.what()).starts_with(path.string())) throw;
    throw error.in(path.string());
  }
}

std::vector<Tokenizer::Part> Tokenizer::find_added(const Part& part, const AddedTokens& added) {
  const std::string_view text = part.text;
  std::vector<Part> parts;
  size_t done = 0;
  const auto add = [&](size_t first, size_t end, std::optional<int32_t> id) {
    if (end > first) parts.push_back({std::string(text.substr(first, end - first)), id, part.leads && first == 0});
  };
  for (size_t at = 0; (at = text.find_first_of(added.first_bytes, at)) != std::string_view::npos;) {
    const auto found =
        std::ranges::find_if(added.tokens, [&](const Added& one) { return text.substr(at).starts_with(one.text); });
    if (found == added.tokens.end()) {
      ++at;
      continue;
    }
    size_t first = at, end = at + found->text.size();
    at = end;
    if (found->whole_word && (ends_with_word(text.substr(0, first)) || begins_with_word(text.substr(end)))) continue;
    if (found->takes_left) first = done + trailing_blanks(text.substr(done, first - done));
    if (found->takes_right) end += leading_blanks(text.substr(end));
    add(done, first, std::nullopt);
    add(first, end, found->id);
    done = at = end;
  }
  add(done, text.size(), std::nullopt);
  return parts;
}

std::vector<int32_t> Tokenizer::encode(std::string_view text, const std::string& where) const {
  if (const size_t wrong = find_no_utf8(text); wrong != std::string_view::npos)
    throw Error(ErrorCode::InvalidData, where + ": byte " + std::to_string(wrong) + " is not UTF-8",
                "a tokenizer.json reads UTF-8");
  std::vector<int32_t> ids;
  const auto encode_part = [&](const Part& part) {
    if (part.id) {
      ids.push_back(*part.id);
      return;
    }
    for (const TextPiece& piece : split_({{part.text, part.leads}}))
      if (!piece.text.empty()) model_->encode(piece.text, ids);
  };
  try {
    for (Part& part : find_added({std::string(text), std::nullopt, true}, in_text_)) {
      if (!part.id) part.text = normalize_(std::move(part.text));
      if (part.id)
        encode_part(part);
      else
        for (const Part& inner : find_added(part, in_normalized_)) encode_part(inner);
    }
  } catch (const Error& error) {
    throw error.in(where);
  }
  return ids;
}

std::optional<int32_t> Tokenizer::line_end() const {
  try {
    const std::vector<int32_t> ids = encode("\n", {});
    return ids.size() == 1 ? std::optional(ids.front()) : std::nullopt;
  } catch (const Error&) {  // the vocabulary has none
    return std::nullopt;
  }
}

}  // namespace detent
