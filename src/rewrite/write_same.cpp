#include "rewrite/write_same.h"

#include "core/stop.h"
#include "detent/base/error.h"
#include "detent/base/progress.h"
#include "model/same_content.h"
#include "model/write_shown_model.h"

namespace detent {

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
