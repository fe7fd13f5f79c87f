#include "report/html/words.h"

#include "report/html/markup.h"
#include "report/html/numbers.h"

namespace detent::html {

namespace {

using document::Number;
using document::Span;
using document::Unit;

std::string figure_markup(const Number& number) {
  if (number.unit == Unit::Count) return count_text(number.value);
  std::string text = document::number_text(number);
  if (number.unit == Unit::Times && text.ends_with("x")) text.replace(text.size() - 1, 1, "\u00D7");
  if (text.starts_with("-") && text.size() > 1) text.replace(0, 1, "\u2212");
  if (text == "-") return "\u2013";
  if (const size_t unit = text.find(" dB"); unit != std::string::npos) text.replace(unit, 1, "\u00A0");
  return escape(text);
}

std::string span_markup(const Span& span) {
  using Look = Span::Look;
  const auto strong = [&](const char* colour) {
    return std::string("<strong class=\"") + colour + "\">" + escape(span.text) + "</strong>";
  };
  switch (span.look) {
    case Look::Figure: return figure_markup(span.number);
    case Look::Name:
    case Look::Quoted: return name_markup(span.text);
    case Look::Code: return "<code>" + escape(span.text) + "</code>";
    case Look::Strong: return "<strong>" + escape(span.text) + "</strong>";
    case Look::Minor: return "<small>" + escape(span.text) + "</small>";
    case Look::Wide: return " <small>" + escape(span.text) + "</small>";
    case Look::Good: return strong("good");
    case Look::Doubtful: return strong("doubtful");
    case Look::Broken: return strong("broken");
    case Look::Arrow: return " \u2192 ";
    case Look::Plain: break;
  }
  return escape(span.text);
}

}  // namespace

std::string markup(const document::Words& words) {
  std::string html;
  for (const Span& span : words.spans()) html += span_markup(span);
  return html;
}

}  // namespace detent::html
