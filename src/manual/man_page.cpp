#include "manual/pages.h"

#include <algorithm>

#include "cli/manual_text.h"
#include "core/text.h"
#include "detent/base/version.h"

namespace detent::manual {

namespace {

/// Escapes text for roff: backslashes and dashes stay, no line begins like a request. Source: groff_char(7),
/// groff(7).
std::string roff_escaped(std::string_view text) {
  std::string out;
  bool begins = true;
  for (const char c : text) {
    if (begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
    begins = c == '\n';
  }
  return out;
}

/// Returns a paragraph that keeps its line breaks.
std::string paragraph(const std::string& text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const size_t first = std::min(text.find_first_not_of(' ', at), end);
    if (!out.empty()) out += ".br\n";
    out += roff_escaped(text.substr(first, end - first)) + "\n";
    at = end + 1;
  }
  return out;
}

std::string dashed(std::string name) {
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string heading(const OptionEntry& entry) {
  const std::string font = entry.positional ? "\\fI" : "\\fB";
  std::string text = join(entry.names, ", ", [&](const auto& name) { return font + roff_escaped(name) + "\\fR"; });
  if (!entry.value.empty()) {
    const std::string value = "\\fI" + roff_escaped(entry.value) + "\\fR";
    text += entry.value_may_miss ? " [" + value + "]" : " " + value;
  }
  return text;
}

std::string option_text(const OptionEntry& entry) {
  std::string text = ".TP\n" + heading(entry) + "\n" + paragraph(entry.text);
  if (entry.text.empty()) text += "\\&\n";
  std::string remarks;
  const auto add = [&](const std::string& remark) { remarks += (remarks.empty() ? "" : " ") + remark; };
  if (entry.required) add("Required.");
  if (entry.repeats && entry.text.find("repeatable") == std::string::npos && !entry.positional) add("Takes several.");
  if (!entry.fallback.empty()) add("Default: " + entry.fallback + ".");
  if (!remarks.empty()) text += ".br\n" + roff_escaped(remarks) + "\n";
  return text;
}

std::string synopsis(const CommandPage& page) {
  std::string text = ".SH SYNOPSIS\n\\fB" + roff_escaped(page.name) + "\\fR";
  if (!page.below.empty()) text += " \\fICOMMAND\\fR";
  for (const OptionEntry& entry : page.options)
    if (entry.required && !entry.positional)
      text += " \\fB" + roff_escaped(entry.names.back()) + "\\fR \\fI" + roff_escaped(entry.value) + "\\fR";
  text += " [\\fIOPTIONS\\fR]";
  for (const OptionEntry& entry : page.options)
    if (entry.positional) text += " \\fI" + roff_escaped(entry.names.front()) + "\\fR" + (entry.repeats ? " ..." : "");
  return text + "\n";
}

std::string options(const CommandPage& page) {
  std::vector<std::string> groups;
  for (const OptionEntry& entry : page.options)
    if (!entry.positional && std::ranges::find(groups, entry.group) == groups.end()) groups.push_back(entry.group);
  std::string text;
  if (std::ranges::any_of(page.options, &OptionEntry::positional)) text += ".SH ARGUMENTS\n";
  for (const OptionEntry& entry : page.options)
    if (entry.positional) text += option_text(entry);
  if (!groups.empty()) text += ".SH OPTIONS\n";
  for (const std::string& group : groups) {
    if (!group.empty()) text += ".SS " + roff_escaped(group) + "\n";
    for (const OptionEntry& entry : page.options)
      if (!entry.positional && entry.group == group) text += option_text(entry);
  }
  return text;
}

/// Returns lines that roff does not fill: commands, lists with columns.
std::string verbatim(const std::string& text) {
  return ".nf\n" + roff_escaped(text) + (text.ends_with("\n") ? "" : "\n") + ".fi\n";
}

/// Returns text whose code, between backquotes, is bold.
std::string with_code(const std::string& text) {
  std::string out;
  bool bold = false;
  for (const char c : roff_escaped(text))
    if (c == '`')
      out += (bold = !bold) ? "\\fB" : "\\fR";
    else
      out += c;
  return out;
}

/// Returns the page of src/manual/pages and the exit codes.
std::string prose(const CommandPage& page) {
  using Kind = cli::ManualBlock::Kind;
  std::string text;
  for (const cli::ManualBlock& block : cli::manual_of(words_below(page))) {
    if (block.kind == Kind::Heading) {
      std::string title = block.text;
      for (char& c : title) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
      text += ".SH " + roff_escaped(title) + "\n";
    } else if (block.kind == Kind::Code) {
      text += ".PP\n.RS 2\n" + verbatim(block.text) + ".RE\n";
    } else if (block.kind == Kind::Text) {
      text += ".PP\n" + with_code(block.text) + "\n";
    } else if (block.kind == Kind::Item) {
      text += ".IP " + (block.term == "*" ? "\\(bu 2" : block.term + " 3") + "\n" + with_code(block.text) + "\n";
    } else {
      text += ".TP\n" + with_code(block.term) + "\n" + with_code(block.text) + "\n";
    }
  }
  return text;
}

}  // namespace

std::string man_file(const CommandPage& page) { return dashed(page.name) + ".1"; }

std::string man_page(const CommandPage& page, std::span<const CommandPage> pages) {
  std::string text =
      ".TH " + roff_escaped(dashed(page.name)) + " 1 \"\" \"detent " + roff_escaped(version_number()) + "\"\n";
  text += ".SH NAME\n" + roff_escaped(dashed(page.name)) + " \\- " + roff_escaped(page.summary) + "\n";
  text += synopsis(page);
  if (!page.below.empty()) {
    text += ".SH COMMANDS\n";
    for (const CLI::App* below : page.below)
      text += ".TP\n\\fB" + roff_escaped(page.name + " " + below->get_name()) + "\\fR\n" +
              roff_escaped(below->get_description()) + "\n";
  }
  text += options(page);
  if (!page.footer.empty()) text += ".SH NOTES\n" + verbatim(page.footer);
  if (!page.example.empty()) text += ".SH EXAMPLE\n" + verbatim(page.example);
  text += prose(page);
  text += ".SH SEE ALSO\n";
  std::string others;
  for (const CommandPage& other : pages)
    if (other.name != page.name)
      others += (others.empty() ? ".BR " : " \",\"\n.BR ") + roff_escaped(dashed(other.name)) + " (1)";
  return text + others + "\n";
}

}  // namespace detent::manual
