#pragma once

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "core/index.h"
#include "ops/signature.h"

// The notation of the table in signatures.cpp, which is read when that is compiled:
//
//     INPUTS -> OUTPUTS; ATTRIBUTES TYPES | 13: ...
//
//     X:T W:T B:T? -> Y:T; group:int auto_pad:string(NOTSET|VALID) axis:int! T=float | 22: T+bf16
//
// Versions are divided by " | " and begin with their first opset (without one: 7 or older). A version says only what
// differs from the one before: the parameters, attributes (`-name`: no more), types of variables (`=` a new set, `+`
// types that are added).
//
//   name:T  name:i64        a parameter of a variable, or of one type; name alone: no types are known
//   name:T? *  +            Parameter::Presence
//   name:T@to               the attribute `to` names the type of the output, or holds a tensor of it
//   name:T@dtype=X          without the attribute the type is that of variable X, or X itself
//   name:int!  name:int     an attribute that is required, and one that is not
//
// Groups of types: kGroups.
namespace detent::signature_notation {

inline constexpr std::string_view kTypeWords[] = {
    "",   "f32", "f64", "f16",  "bf16",  "i8",   "i16",   "i32",  "i64", "u8", "u16", "u32",    "u64", "bool", "i4",
    "u4", "i2",  "u2",  "e4m3", "e4m3z", "e5m2", "e5m2z", "e8m0", "",    "",   "f4",  "string", "seq"};  // by DataType

using Group = std::pair<std::string_view, std::string_view>;
inline constexpr Group kGroups[] = {{"float", "f32,f64,f16"},
                                    {"signed", "i8,i16,i32,i64"},
                                    {"unsigned", "u8,u16,u32,u64"},
                                    {"int", "i8,i16,i32,i64,u8,u16,u32,u64"},
                                    {"number", "i8,i16,i32,i64,u8,u16,u32,u64,f32,f64,f16"},
                                    {"any", "i8,i16,i32,i64,u8,u16,u32,u64,f32,f64,f16,bool,string"},
                                    {"fp8", "e4m3,e4m3z,e5m2,e5m2z"}};

constexpr std::string_view trim(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

/// Takes what stands before `mark` off `text`; all of it, leaving nullopt, when there is none.
constexpr std::string_view take_until(std::optional<std::string_view>& text, std::string_view mark) {
  const std::string_view all = *text;
  const size_t at = all.find(mark);
  text = at == all.npos ? std::nullopt : std::optional(all.substr(at + mark.size()));
  return trim(all.substr(0, at));
}

constexpr void expect(bool fits, const char* what) {
  if (!fits) throw std::invalid_argument(what);
}

constexpr std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::optional<std::string_view> rest = trim(text); rest && !rest->empty();)
    words.push_back(take_until(rest, " "));
  return words;
}

constexpr std::optional<TypeSet> find_types(std::string_view words) {
  TypeSet set;
  for (std::optional<std::string_view> rest = words; rest;) {
    const std::string_view word = take_until(rest, ",");
    if (word.empty()) return std::nullopt;
    if (const auto* one = std::ranges::find(kTypeWords, word); one != std::end(kTypeWords)) {
      set.add(static_cast<DataType>(one - std::begin(kTypeWords)));
    } else if (const auto* group = std::ranges::find(kGroups, word, &Group::first); group != std::end(kGroups)) {
      set.add(*find_types(group->second));
    } else {
      return std::nullopt;
    }
  }
  return set;
}

/// Returns the variable of that name; a type's word makes one.
constexpr int variable_named(Signature& signature, std::string_view name) {
  const auto found = std::ranges::find(signature.variables, name, &TypeVariable::name);
  if (found != signature.variables.end()) return static_cast<int>(found - signature.variables.begin());
  signature.variables.push_back({name, find_types(name).value_or(TypeSet())});
  return static_cast<int>(signature.variables.size()) - 1;
}

constexpr void expect_name(std::string_view name) {
  expect(!name.empty() && name.find_first_of("?*+!:;|()<>=@, ") == name.npos, "a name in a signature");
}

constexpr Parameter parse_parameter(Signature& signature, std::string_view word) {
  Parameter parameter;
  if (word.ends_with('?')) parameter.presence = Parameter::Presence::MayBeAbsent;
  if (word.ends_with('*')) parameter.presence = Parameter::Presence::AnyNumber;
  if (word.ends_with('+')) parameter.presence = Parameter::Presence::OneOrMore;
  if (parameter.presence != Parameter::Presence::Required) word.remove_suffix(1);
  std::optional<std::string_view> rest = word;
  parameter.name = take_until(rest, ":");
  expect_name(parameter.name);
  if (!rest) return parameter;
  parameter.variable = variable_named(signature, take_until(rest, "@"));
  if (rest) parameter.attribute = take_until(rest, "=");
  if (!rest) return parameter;
  if (const std::optional<TypeSet> type = find_types(*rest))
    parameter.default_type = type->only();
  else
    parameter.default_variable = variable_named(signature, *rest);
  return parameter;
}

constexpr std::vector<Parameter> parse_parameters(Signature& signature, std::string_view text) {
  std::vector<Parameter> parameters;
  for (const std::string_view word : words_of(text)) {
    expect(parameters.empty() || !parameters.back().repeats(), "only the last parameter may repeat");
    parameters.push_back(parse_parameter(signature, word));
  }
  return parameters;
}

constexpr AttributeRule parse_attribute(std::string_view text) {
  AttributeRule rule;
  rule.required = text.ends_with('!');
  if (rule.required) text.remove_suffix(1);
  if (const size_t open = text.find('('); open != text.npos) {
    expect(text.ends_with(')') && open + 2 < text.size(), "choices in a signature");
    rule.choices = text.substr(open + 1, text.size() - open - 2);
    text = text.substr(0, open);
  }
  std::optional<std::string_view> rest = text;
  rule.name = take_until(rest, ":");
  expect_name(rule.name);
  rule.type = rest.value_or("");
  expect(std::ranges::find(kAttributeTypes, rule.type) != std::end(kAttributeTypes), "the type of an attribute");
  expect(rule.choices.empty() || rule.type == "string", "choices of an attribute that is no string");
  return rule;
}

/// Reads a word behind the parameters: an attribute, "-" and the name of one that is no more, or types of a variable.
constexpr void parse_word(Signature& signature, std::string_view word) {
  const auto same_name = [](std::string_view name) {
    return [name](const AttributeRule& one) { return one.name == name; };
  };
  if (word.starts_with('-')) {
    expect(std::erase_if(signature.attributes, same_name(word.substr(1))) == 1, "the name of an attribute");
  } else if (word.find(':') != word.npos) {
    const AttributeRule rule = parse_attribute(word);
    const auto known = std::ranges::find_if(signature.attributes, same_name(rule.name));
    if (known == signature.attributes.end())
      signature.attributes.push_back(rule);
    else
      *known = rule;
  } else {
    const size_t at = word.find_first_of("=+");
    expect(at != word.npos, "an attribute without a type, or a variable without types");
    const std::optional<TypeSet> given = find_types(word.substr(at + 1));
    expect(given.has_value(), "types in a signature");
    TypeSet& types = signature.variables[as_index(variable_named(signature, word.substr(0, at)))].types;
    if (word[at] == '=') types = {};
    types.add(*given);
  }
}

constexpr int take_opset(std::string_view& text) {
  const size_t digits = text.find_first_not_of("0123456789");
  if (digits == 0 || !text.substr(digits).starts_with(": ")) return 1;
  int opset = 0;
  for (const char digit : text.substr(0, digits)) opset = opset * 10 + (digit - '0');
  text.remove_prefix(digits + 2);
  return opset;
}

/// Reads one row of the table of signatures.
/// Errors  std::invalid_argument for a malformed row, which fails the build for a row of the table.
constexpr std::vector<Signature> parse(std::string_view text) {
  std::vector<Signature> signatures;
  Signature signature;
  for (std::optional<std::string_view> all = text; all;) {
    std::string_view part = take_until(all, " | ");
    signature.since = take_opset(part);
    expect(signatures.empty() || signatures.back().since < signature.since, "opsets out of order");
    std::optional<std::string_view> rest = part;
    if (part.find("->") != part.npos) {
      signature.inputs = parse_parameters(signature, take_until(rest, "->"));
      signature.outputs = parse_parameters(signature, take_until(rest, ";"));
    }
    expect(!signature.outputs.empty(), "a signature without outputs");
    for (const std::string_view word : words_of(rest.value_or(""))) parse_word(signature, word);
    for (const TypeVariable& variable : signature.variables)
      expect(variable.types != TypeSet(), "a variable without types");
    signatures.push_back(signature);
  }
  return signatures;
}

}  // namespace detent::signature_notation
