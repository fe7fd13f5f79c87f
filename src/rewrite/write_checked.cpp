#include "rewrite/write_checked.h"

#include "core/files/atomic_file.h"
#include "core/stop.h"
#include "detent/error.h"
#include "detent/progress.h"
#include "model/same_content.h"

namespace detent {

void write_checked(const Model& model, const std::filesystem::path& path, const WriteOptions& options,
                   const PromisedFile& promised, const QdqCheckOptions& check) {
  stop_if_interrupted();
  check_qdq_file(model.graph(), path, promised, check);  // before an older file is replaced
  write_model(model, path, options);
  try {
    const Model back = read_back(path);
    if (!same_content(model, back))
      throw Error(ErrorCode::Internal, path.string() + ": reads back different from what was written");
    check_qdq_file(back.graph(), path, promised, check);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
    throw;
  }
}

}  // namespace detent
