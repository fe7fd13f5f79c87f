#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace detent {

/// An element of an XML document. Attributes are left out.
struct XmlElement {
  std::string name, text;  ///< text without surrounding blanks; that around elements below is joined
  size_t line = 1;         ///< of its start tag
  std::vector<XmlElement> below;

  /// Returns the first element below with this name; nullptr without one.
  [[nodiscard]] const XmlElement* find(std::string_view child) const;
  /// Returns the first element below with this name.
  /// Errors  InvalidData naming the line and the element.
  [[nodiscard]] const XmlElement& get(std::string_view child) const;
};

/// Reads elements, text with the five named entities, comments and processing instructions; no declarations
/// (DOCTYPE, CDATA), and at most 32 elements inside each other. Attributes hold no ">".
/// Errors  InvalidData naming the line and what is wrong there.
/// Source  w3.org/TR/xml.
[[nodiscard]] XmlElement parse_xml(std::string_view text);

}  // namespace detent
