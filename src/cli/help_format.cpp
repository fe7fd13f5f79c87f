#include "cli/help_format.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <utility>
#include <vector>

#include "core/parse.h"

namespace detent::cli {

namespace {

constexpr size_t kNarrowest = 40, kWidest = 120, kElsewhere = 100;
constexpr size_t kNames = 30;  // columns of options' names

std::vector<std::string> words_of(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// Fills lines with parts, and puts `end` behind each line except the last.
std::string filled(const std::vector<std::string>& parts, size_t width, const std::string& first,
                   const std::string& others, const std::string& end) {
  std::string text, line = first;
  bool empty = true;
  for (const std::string& part : parts) {
    const size_t behind = &part == &parts.back() ? 0 : end.size();
    if (!empty && line.size() + 1 + part.size() + behind > width) {
      text += line + end + "\n";
      line = others;
      empty = true;
    }
    line += (empty ? "" : " ") + part;
    empty = false;
  }
  return text + line + "\n";
}

class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter(size_t width, const std::optional<std::string>& long_help)
      : width_(width), names_(std::min(kNames, width / 3)), long_help_(long_help) {
    column_width(names_);
  }

  /// Puts one empty line between parts.
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    const std::string help = CLI::Formatter::make_help(app, std::move(name), mode);
    std::string text;
    for (const char c : help)
      if (c != '\n' || !text.ends_with("\n\n")) text += c;
    return text;
  }

  std::string make_description(const CLI::App* app) const override {
    return app->get_description().empty() ? "" : wrapped(app->get_description(), width_, 0);
  }

  std::string make_usage(const CLI::App* app, std::string name) const override {
    std::string usage = CLI::Formatter::make_usage(app, std::move(name));
    usage.pop_back();
    return wrapped(usage, width_, 2);
  }

  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    const std::string text = make_option_desc(option);
    return entry(make_option_name(option, is_positional) + make_option_opts(option),
                 long_help_ ? text : first_sentence(text));
  }

  std::string make_subcommand(const CLI::App* command) const override {
    return entry(command->get_display_name(true), command->get_description());
  }

  std::string make_footer(const CLI::App* app) const override {
    const std::string footer = app->get_footer();
    std::string text, line;
    for (size_t at = 0; at < footer.size();) {
      const size_t end = std::min(footer.find('\n', at), footer.size());
      line += footer.substr(at, end - at);
      at = end + 1;
      const bool command = line.starts_with("  detent ");
      if (command && line.ends_with("\\")) continue;  // the next line continues it
      text += command ? wrapped_command(line, width_, 2) : footer_line(line);
      line.clear();
    }
    return text;
  }

 private:
  /// Wraps text from column `first` on; the first line is not indented.
  [[nodiscard]] std::string column_of(const std::string& text, size_t first) const {
    std::string lines = wrapped(text, width_ - first, 0);
    for (size_t at = lines.find('\n'); at + 1 < lines.size(); at = lines.find('\n', at + 1))
      lines.insert(at + 1, first, ' ');
    return lines;
  }

  /// Puts the names on the left and the description beside them or, if the names are long, below.
  [[nodiscard]] std::string entry(const std::string& names, const std::string& description) const {
    std::string left = broken_lists(wrapped("  " + names, width_, 4));
    left.pop_back();
    const std::string right = column_of(description, names_);
    if (description.empty()) return left + "\n";
    const bool beside = left.find('\n') == std::string::npos && left.size() + 1 < names_;
    return left + (beside ? std::string(names_ - left.size(), ' ') : "\n" + std::string(names_, ' ')) + right;
  }

  /// Goes on in another line behind a comma where a word is wider than the help, such as a default that is a list.
  [[nodiscard]] std::string broken_lists(const std::string& text) const {
    constexpr size_t kBelow = 6;
    std::string result;
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find('\n', at), text.size());
      std::string line = text.substr(at, end - at);
      for (size_t comma = 0; line.size() > width_; line = std::string(kBelow, ' ') + line.substr(comma + 1)) {
        comma = line.rfind(',', width_ - 1);
        if (comma == std::string::npos || comma < kBelow) break;
        result += line.substr(0, comma + 1) + "\n";
      }
      result += line + "\n";
      at = end + 1;
    }
    return result;
  }

  /// Wraps "  id   what it is"; continuation lines start at the second column.
  [[nodiscard]] std::string footer_line(const std::string& line) const {
    const size_t name = line.find_first_not_of(' ');
    const size_t gap = name == std::string::npos ? name : line.find("  ", name);
    const size_t column = gap == std::string::npos ? gap : line.find_first_not_of(' ', gap);
    if (column == std::string::npos || line.size() <= width_) return wrapped(line, width_, 2);
    const size_t below = column <= width_ / 2 ? column : width_ / 3;
    const std::string right = column_of(line.substr(column), below);
    return column == below ? line.substr(0, column) + right
                           : line.substr(0, gap) + "\n" + std::string(below, ' ') + right;
  }

  size_t width_, names_;
  const std::optional<std::string>& long_help_;
};

/// Counts characters of UTF-8.
size_t columns_of(std::string_view line) {
  return static_cast<size_t>(std::ranges::count_if(line, [](char byte) { return (byte & 0xC0) != 0x80; }));
}

/// Returns the byte at which a column of the line begins; the end of the line if it is shorter.
size_t byte_of(std::string_view line, size_t column) {
  size_t at = 0;
  for (size_t seen = 0; at < line.size(); ++at)
    if ((line[at] & 0xC0) != 0x80 && seen++ == column) break;
  return at;
}

constexpr size_t kLeastName = 12;  // columns that a name has beside numbers

/// Returns the column at which all rows begin with their second cells: behind the first two blanks that all have.
size_t second_column(const std::vector<std::string_view>& rows, size_t most) {
  size_t blanks = 0;
  bool text = false;  // some row has something further left, behind the margin
  for (size_t column = 2; column < most; ++column) {
    const bool blank = std::ranges::all_of(rows, [&](std::string_view row) {
      const size_t at = byte_of(row, column);
      return at == row.size() || row[at] == ' ';
    });
    if (!blank && text && blanks >= 2) return column;
    text = text || !blank;
    blanks = blank ? blanks + 1 : 0;
  }
  return 0;
}

std::string wrapped_table(const std::vector<std::string_view>& rows, size_t width) {
  std::string result;
  size_t most = 0;
  for (const std::string_view row : rows) most = std::max(most, columns_of(row));
  const size_t second = most > width ? second_column(rows, most) : 0;
  const bool beside = second > 0 && most - second + kLeastName + 2 <= width;
  for (const std::string_view row : rows) {
    const size_t cut = byte_of(row, second);
    const std::string_view name = row.substr(0, row.find_last_not_of(' ', cut == 0 ? 0 : cut - 1) + 1);
    if (most <= width) {
      result += std::string(row) + "\n";
    } else if (beside) {  // numbers, which keep their columns
      const size_t room = width - (most - second) - 2;
      const bool fits = columns_of(name) <= room;
      result += std::string(name) + (fits ? "" : "\n") + std::string(room + 2 - (fits ? columns_of(name) : 0), ' ') +
                std::string(row.substr(cut)) + "\n";
    } else if (second > 0 && second <= width / 2) {  // a text, which goes on below itself
      std::string text = wrapped(row.substr(cut), width - second, 0);
      text.pop_back();
      for (size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1))
        text.insert(at + 1, second, ' ');
      result += std::string(row.substr(0, cut)) + text + "\n";
    } else {
      result += wrapped(row, width, 4);
    }
  }
  return result;
}

}  // namespace

std::string wrapped(std::string_view text, size_t width, size_t indent) {
  std::string result;
  while (true) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const size_t blanks = std::min(line.find_first_not_of(' '), line.size());
    result += filled(words_of(line), width, std::string(blanks, ' '), std::string(blanks + indent, ' '), "");
    if (end == text.size()) return result;
    text.remove_prefix(end + 1);
  }
}

std::string wrapped_report(std::string_view report, size_t width) {
  std::string result;
  std::vector<std::string_view> table;  // neighbouring rows
  const auto end_table = [&] {
    if (!table.empty()) result += wrapped_table(std::exchange(table, {}), width);
  };
  for (size_t end = 0; !report.empty(); report.remove_prefix(std::min(end + 1, report.size()))) {
    end = std::min(report.find('\n'), report.size());
    const std::string_view line = report.substr(0, end);
    const std::string_view words = line.substr(std::min(line.find_first_not_of(' '), line.size()));
    if (words.find("   ") != std::string_view::npos) {
      table.push_back(line);
      continue;
    }
    end_table();
    result +=
        columns_of(line) <= width || words.starts_with("next:") ? std::string(line) + "\n" : wrapped(line, width, 4);
  }
  end_table();
  return result;
}

std::string wrapped_command(std::string_view command, size_t width, size_t indent) {
  // An option stays beside its value. A comment moves before the command, since nothing may follow a "\".
  std::vector<std::string> parts;
  const size_t hash = std::min(command.find(" #"), command.size());
  for (const std::string& word : words_of(command.substr(0, hash))) {
    if (word == "\\") continue;
    const bool value = !parts.empty() && parts.back().starts_with("-") && !word.starts_with("-") &&
                       parts.back().find(' ') == std::string::npos;
    if (value)
      parts.back() += " " + word;
    else
      parts.push_back(word);
  }
  const std::string first(indent, ' ');
  const std::string comment =
      hash == command.size() ? "" : filled(words_of(command.substr(hash)), width, first, first + "# ", "");
  return comment + filled(parts, width, first, first + "  ", " \\");
}

size_t help_width() {
  size_t width = 0;
  winsize terminal{};
  if (const char* columns = std::getenv("COLUMNS")) {
    std::string_view text = columns;
    width = take_number<size_t>(text).value_or(0);
  }
  if (width == 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &terminal) == 0) width = terminal.ws_col;
  return width == 0 ? kElsewhere : std::clamp(width, kNarrowest, kWidest);
}

std::shared_ptr<CLI::FormatterBase> make_help_formatter(size_t width, const std::optional<std::string>& long_help) {
  return std::make_shared<HelpFormatter>(width, long_help);
}

std::string first_sentence(const std::string& text) {
  return text.substr(0, std::min(text.find('\n'), text.find(". ")));
}

}  // namespace detent::cli
