#include "datasets/xml_elements.h"

#include <algorithm>
#include <utility>

#include "datasets/csv.h"
#include "detent/base/error.h"

namespace detent {

namespace {

constexpr int kDeepest = 32;

/// Replaces the named entities; others stay as they are.
std::string unescaped(std::string text) {
  constexpr std::pair<std::string_view, char> kEntities[] = {
      {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}, {"&amp;", '&'}};  // the last one makes no other
  for (const auto& [entity, character] : kEntities)
    for (size_t at = text.find(entity); at != std::string::npos; at = text.find(entity, at + 1))
      text.replace(at, entity.size(), 1, character);
  return text;
}

class XmlReader {
 public:
  explicit XmlReader(std::string_view text) : text_(text) {}

  XmlElement read_document() {
    skip_outside();
    XmlElement root = read_element(0);
    skip_outside();
    if (at_ < text_.size()) refuse("something follows the last end tag");
    return root;
  }

 private:
  size_t line() {
    for (; counted_ < at_; ++counted_) line_ += text_[counted_] == '\n';
    return line_;
  }
  [[noreturn]] void refuse(const std::string& what) {
    throw Error(ErrorCode::InvalidData, "line " + std::to_string(line()) + ": " + what);
  }
  [[nodiscard]] bool stands(std::string_view word) const { return text_.substr(at_).starts_with(word); }
  /// Returns the text up to `end`, and goes past it.
  std::string_view take_until(std::string_view end) {
    const size_t from = at_, found = text_.find(end, at_);
    if (found == std::string_view::npos) refuse("'" + std::string(end) + "' is missing");
    at_ = found + end.size();
    return text_.substr(from, found - from);
  }
  bool skip_remark() {
    if (!stands("<!--") && !stands("<?")) return false;
    static_cast<void>(take_until(stands("<?") ? "?>" : "-->"));
    return true;
  }
  void skip_outside() {
    do at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
    while (skip_remark());
  }

  XmlElement read_element(int depth) {
    XmlElement element{.line = line()};
    if (!stands("<") || stands("</") || stands("<!") || depth > kDeepest) refuse("an element is expected here");
    const std::string_view tag = take_until(">").substr(1);
    element.name = tag.substr(0, tag.find_first_of(" \t\r\n/"));
    if (element.name.empty() || tag.find('<') != std::string_view::npos) refuse("a tag has no name or no end");
    if (tag.ends_with('/')) return element;
    for (;;) {
      element.text += text_.substr(at_, text_.find('<', at_) - at_);
      at_ = std::min(text_.find('<', at_), text_.size());
      if (skip_remark()) continue;
      if (stands("</")) break;
      element.below.push_back(read_element(depth + 1));
    }
    if (trimmed(take_until(">").substr(2)) != element.name) refuse("<" + element.name + "> is not closed");
    element.text = unescaped(trimmed(element.text));
    return element;
  }

  std::string_view text_;
  size_t at_ = 0, counted_ = 0, line_ = 1;
};

}  // namespace

const XmlElement* XmlElement::find(std::string_view child) const {
  const auto found = std::ranges::find(below, child, &XmlElement::name);
  return found == below.end() ? nullptr : &*found;
}

const XmlElement& XmlElement::get(std::string_view child) const {
  if (const XmlElement* found = find(child)) return *found;
  throw Error(ErrorCode::InvalidData,
              "line " + std::to_string(line) + ": <" + name + "> has no <" + std::string(child) + ">");
}

XmlElement parse_xml(std::string_view text) { return XmlReader(text).read_document(); }

}  // namespace detent
