#include "core/files/input_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <exception>
#include <map>
#include <mutex>
#include <utility>

#include "detent/base/error.h"

namespace detent {

namespace {

namespace fs = std::filesystem;

constexpr const char* kEndingsOfOutputs[] = {".onnx", ".dct", ".json", ".html", ".cache"};

using Identity = std::pair<dev_t, ino_t>;

/// A regular file or folder as the system knows it.
struct Known {
  Identity identity;
  bool is_folder = false;
};

std::optional<Known> look_up(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))) return std::nullopt;
  return Known{{status.st_dev, status.st_ino}, S_ISDIR(status.st_mode)};
}

/// Files of one reader, found when they are first asked for.
class FoundFiles {
 public:
  explicit FoundFiles(InputFiles::Source source) : source_(std::move(source)) {}

  [[nodiscard]] std::optional<InputFile> find(const Identity& identity) {
    if (!files_) find_all();
    const auto found = files_->find(identity);
    return found == files_->end() ? std::nullopt : std::optional<InputFile>({found->second, source_.reader});
  }

 private:
  void find_all() {
    files_.emplace();
    try {
      for (const fs::path& path : source_.find()) include(path);
    } catch (const std::exception&) {
      return;  // reading the files reports what is wrong with them
    }
  }
  void include(const fs::path& path) {
    const std::optional<Known> known = look_up(path);
    if (!known || !files_->emplace(known->identity, path).second || !known->is_folder) return;
    std::error_code error;
    for (fs::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
      const fs::path name = entry->path().filename();
      const bool is_output = std::ranges::find(kEndingsOfOutputs, name.extension()) != std::end(kEndingsOfOutputs);
      if (!name.string().starts_with('.') && !is_output) include(entry->path());
    }
  }

  InputFiles::Source source_;
  std::optional<std::map<Identity, fs::path>> files_;
};

/// The files of all objects. Never destroyed: work may outlive static storage.
struct AllInputs {
  std::mutex mutex;
  uint64_t next = 0;
  std::map<uint64_t, std::vector<FoundFiles>> files;  // by number of the object
};

AllInputs& all_inputs() {
  static auto* const all = new AllInputs;
  return *all;
}

}  // namespace

InputFiles::InputFiles(std::vector<Source> sources) {
  AllInputs& all = all_inputs();
  const std::lock_guard lock(all.mutex);
  number_ = all.next++;
  std::vector<FoundFiles>& files = all.files[number_];
  for (Source& source : sources) files.emplace_back(std::move(source));
}

InputFiles::~InputFiles() {
  AllInputs& all = all_inputs();
  const std::lock_guard lock(all.mutex);
  all.files.erase(number_);
}

std::optional<InputFile> find_input_file(const fs::path& path) {
  const std::optional<Known> known = look_up(path);
  if (!known) return std::nullopt;
  AllInputs& all = all_inputs();
  const std::lock_guard lock(all.mutex);
  for (auto& [number, sources] : all.files)
    for (FoundFiles& source : sources)
      if (auto found = source.find(known->identity)) return found;
  return std::nullopt;
}

void check_is_no_input(const fs::path& output) {
  if (const auto input = find_input_file(output))
    throw Error(ErrorCode::CannotWrite,
                output.string() + ": is '" + input->path.string() + "', which " + input->reader + " reads",
                "choose another name");
}

}  // namespace detent
