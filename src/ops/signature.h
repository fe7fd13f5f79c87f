#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace detent {

/// An input or output of an operator.
struct Parameter {
  enum class Presence {
    Required,     ///< NAME
    MayBeAbsent,  ///< NAME?  left out at the end, or with an empty name
    AnyNumber,    ///< NAME*  none or more, the last parameter
    OneOrMore,    ///< NAME+  the last parameter
  };
  std::string_view name;
  Presence presence;
  [[nodiscard]] constexpr bool repeats() const { return presence >= Presence::AnyNumber; }
};

/// An attribute that an operator reads.
struct AttributeRule {
  std::string_view name;
  std::string_view type;     ///< one of kAttributeTypes
  std::string_view choices;  ///< "a|b|c": the only strings allowed; "" -> any
  bool required;
};

/// In the order of AttributeValue (graph.h), which holds all but the last two.
inline constexpr std::string_view kAttributeTypes[] = {"int",     "float",  "string", "ints",          "floats",
                                                       "strings", "tensor", "graph",  "sparse_tensor", "type"};

/// What a node of an operator must look like from one opset on.
struct SignatureVersion {
  int since;
  std::vector<Parameter> inputs, outputs;
  std::vector<AttributeRule> attributes;
};

/// Reads the notation of Signature. Errors  std::invalid_argument, which fails the build where the text is a constant.
constexpr std::vector<SignatureVersion> parse_signature(std::string_view text);

/// The inputs, outputs and attributes of an operator, as text that is checked when it is compiled:
///
///     X W B? -> Y; group:int kernel_shape:ints auto_pad:string(NOTSET|VALID) axis:int!
///
/// `?`, `*` and `+` behind a name are those of Parameter::Presence; `!` behind a type: the attribute is required. Where
/// versions differ, the later ones follow with their first opset: "data -> y; axes:ints | 13: data axes? -> y".
/// Source of all of them: ONNX, docs/Changelog.md; tests compare them with the schemas of libonnx.
class Signature {
 public:
  consteval Signature(const char* text) : text_(text) { (void)parse_signature(text_); }
  [[nodiscard]] std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

namespace signature_text {

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

constexpr void expect_name(std::string_view name) {
  expect(!name.empty() && name.find_first_of("?*+!:;|()<>= ") == name.npos, "a name in a signature");
}

constexpr std::vector<Parameter> parse_parameters(std::string_view text) {
  std::vector<Parameter> parameters;
  for (std::optional<std::string_view> rest = trim(text); rest && !rest->empty();) {
    std::string_view name = take_until(rest, " ");
    expect(parameters.empty() || !parameters.back().repeats(), "only the last parameter may repeat");
    Parameter::Presence presence = Parameter::Presence::Required;
    if (name.ends_with('?')) presence = Parameter::Presence::MayBeAbsent;
    if (name.ends_with('*')) presence = Parameter::Presence::AnyNumber;
    if (name.ends_with('+')) presence = Parameter::Presence::OneOrMore;
    if (presence != Parameter::Presence::Required) name.remove_suffix(1);
    expect_name(name);
    parameters.push_back({name, presence});
  }
  return parameters;
}

constexpr AttributeRule parse_attribute(std::string_view text) {
  AttributeRule rule{.required = text.ends_with('!')};
  if (rule.required) text.remove_suffix(1);
  if (const size_t open = text.find('('); open != text.npos) {
    expect(text.ends_with(')') && open + 2 < text.size(), "choices in a signature");
    rule.choices = text.substr(open + 1, text.size() - open - 2);
    text = text.substr(0, open);
  }
  std::optional<std::string_view> rest = text;
  rule.name = take_until(rest, ":");
  expect_name(rule.name);
  expect(rest.has_value(), "an attribute without a type");
  rule.type = *rest;
  bool known = false;
  for (const std::string_view type : kAttributeTypes) known = known || rule.type == type;
  expect(known, "the type of an attribute");
  expect(rule.choices.empty() || rule.type == "string", "choices of what is no string");
  return rule;
}

constexpr SignatureVersion parse_version(std::string_view text) {
  SignatureVersion version{.since = 1};
  if (text.find_first_of("0123456789") == 0) {
    version.since = 0;
    for (; text.find_first_of("0123456789") == 0; text.remove_prefix(1))
      version.since = version.since * 10 + (text.front() - '0');
    expect(text.starts_with(": "), "an opset in a signature");
    text.remove_prefix(1);
  }
  std::optional<std::string_view> rest = text;
  version.inputs = parse_parameters(take_until(rest, "->"));
  expect(rest.has_value(), "a signature without outputs");
  version.outputs = parse_parameters(take_until(rest, ";"));
  expect(!version.outputs.empty(), "a signature without outputs");
  if (rest) rest = trim(*rest);
  while (rest && !rest->empty()) version.attributes.push_back(parse_attribute(take_until(rest, " ")));
  return version;
}

}  // namespace signature_text

constexpr std::vector<SignatureVersion> parse_signature(std::string_view text) {
  std::vector<SignatureVersion> versions;
  for (std::optional<std::string_view> rest = text; rest;) {
    versions.push_back(signature_text::parse_version(signature_text::take_until(rest, " | ")));
    const size_t count = versions.size();
    signature_text::expect(count < 2 || versions[count - 2].since < versions[count - 1].since, "opsets out of order");
  }
  return versions;
}

}  // namespace detent
