#include "rewrite/write_checked.h"

#include "core/stop.h"
#include "detent/error.h"
#include "detent/progress.h"
#include "model/same_content.h"
#include "model/write_shown_model.h"

namespace detent {

void write_checked(const Model& model, const std::filesystem::path& path, const WriteOptions& options,
                   const PromisedFile& promised, const QdqCheckOptions& check) {
  stop_if_interrupted();
  check_qdq_file(model.graph(), path, promised, check);  // before an older file is replaced
  write_same(model, path, options, [&](const Model& back) { check_qdq_file(back.graph(), path, promised, check); });
}

void write_same(const Model& model, const std::filesystem::path& path, const WriteOptions& options,
                const std::function<void(const Model& back)>& check) {
  stop_if_interrupted();
  write_shown_model(model, path, options, [&](const std::filesystem::path& written) {
    const Model back = read_back(written);
    if (!same_content(model, back))
      throw Error(ErrorCode::Internal, path.string() + ": reads back different from what was written");
    if (check) check(back);
  });
}

}  // namespace detent
