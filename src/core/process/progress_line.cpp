#include "core/process/progress_line.h"

#include <sys/ioctl.h>

#include <algorithm>

#include "core/index.h"

namespace detent {

namespace {

bool begins_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }

}  // namespace

size_t terminal_columns(int descriptor) {
  constexpr size_t kUsual = 80;
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsual;
}

std::string cut_to_columns(std::string_view line, size_t columns) {
  constexpr std::string_view kMore = "...";
  const size_t room = columns > 0 ? columns - 1 : 0;
  if (as_index(std::ranges::count_if(line, begins_character)) <= room) return std::string(line);
  const size_t kept = room > kMore.size() ? room - kMore.size() : 0;
  size_t characters = 0, end = 0;
  while (end < line.size() && (characters < kept || !begins_character(line[end])))
    characters += begins_character(line[end++]) ? size_t{1} : 0;
  return std::string(line.substr(0, end)) + std::string(kMore.substr(0, std::min(room, kMore.size())));
}

std::optional<double> seconds_left(double seconds, size_t done, size_t total) {
  constexpr double kShortest = 1, kPatience = 10;
  constexpr size_t kPart = 20;
  if (done == 0 || done >= total) return std::nullopt;
  const bool enough = seconds >= kShortest && done * kPart >= total;
  if (!enough && seconds < kPatience) return std::nullopt;
  return seconds * static_cast<double>(total - done) / static_cast<double>(done);
}

}  // namespace detent
