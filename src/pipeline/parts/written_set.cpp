#include "pipeline/parts/written_set.h"

#include <utility>

#include "core/files/unfinished.h"
#include "model/file/data_files.h"

namespace detent {

WrittenSet::~WrittenSet() {
  std::error_code gone;
  for (const std::filesystem::path& file : files_) {
    if (!kept_) std::filesystem::remove(file, gone);
    forget_unfinished(file);
  }
}

void WrittenSet::add(const std::filesystem::path& model) {
  std::vector<std::filesystem::path> all = data_files_of(model);
  all.push_back(model);
  for (std::filesystem::path& file : all) {
    static_cast<void>(make_unfinished(file, [] { return 0; }));
    files_.push_back(std::move(file));
  }
}

}  // namespace detent
