#include "datasets/base/natural_order.h"

#include <sys/stat.h>

#include <algorithm>
#include <set>
#include <utility>

#include "detent/base/error.h"

namespace detent {

namespace {

namespace fs = std::filesystem;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Returns the rank of a character; '/' sorts first, so that the files of a folder stay together.
int rank_of(char c) { return c == '/' ? 0 : static_cast<int>(static_cast<unsigned char>(c)) + 1; }

/// Returns the run of digits at `at`, without leading zeros; `at` moves behind it.
std::string_view take_digits(std::string_view text, size_t& at) {
  while (at < text.size() && text[at] == '0') ++at;
  const size_t first = at;
  while (at < text.size() && is_digit(text[at])) ++at;
  return text.substr(first, at - first);
}

/// A recursive search for files.
struct Scan {
  const std::function<bool(const fs::path&)>& wanted;
  std::set<std::pair<dev_t, ino_t>> entered;  // against links that lead back
  std::vector<std::string> found;

  void enter(const fs::path& folder, const std::string& prefix) {
    struct stat status {};
    if (::stat(folder.c_str(), &status) == 0 && !entered.emplace(status.st_dev, status.st_ino).second) return;
    std::error_code error, unknown;
    std::vector<std::string> folders;  // entered later: an open folder holds a descriptor
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
      const std::string name = entry->path().filename().string();
      if (name.starts_with('.')) continue;
      if (entry->is_directory(unknown))
        folders.push_back(name);
      else if (entry->is_regular_file(unknown) && wanted(entry->path()))
        found.push_back(prefix + name);
    }
    if (error) throw Error(ErrorCode::InvalidData, folder.string() + ": cannot list the folder: " + error.message());
    for (const std::string& name : folders) enter(folder / name, prefix + name + "/");
  }
};

}  // namespace

bool natural_less(std::string_view a, std::string_view b) {
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const std::string_view x = take_digits(a, i);
      const std::string_view y = take_digits(b, j);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
      continue;
    }
    if (a[i] != b[j]) return rank_of(a[i]) < rank_of(b[j]);
    ++i;
    ++j;
  }
  if (i < a.size() || j < b.size()) return i >= a.size();
  return a < b;
}

std::vector<std::string> files_below(const fs::path& folder, const std::function<bool(const fs::path&)>& wanted) {
  Scan scan{wanted, {}, {}};
  scan.enter(folder, "");
  std::sort(scan.found.begin(), scan.found.end(), natural_less);
  return std::move(scan.found);
}

std::string lower_extension(const fs::path& path) {
  std::string extension = path.extension().string();
  for (char& c : extension)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return extension;
}

}  // namespace detent
