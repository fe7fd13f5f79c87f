#include "pipeline/parts/written_file.h"

#include <limits>

#include "core/files/output_set.h"
#include "core/memory_limit.h"
#include "detent/base/error.h"
#include "model/file/data_files.h"
#include "rewrite/integer_gates.h"
#include "rewrite/pack_products.h"

namespace detent {

namespace {

constexpr uint64_t kMostInOneFile = std::numeric_limits<int32_t>::max();  // protobuf has signed 32-bit sizes

}  // namespace

WriteOptions write_options(bool overwrite, ExternalData where) {
  switch (where) {
    case ExternalData::Always: return {.overwrite = overwrite, .external_data_above = 0};
    case ExternalData::Never:
      return {.overwrite = overwrite, .external_data_above = std::numeric_limits<uint64_t>::max()};
    case ExternalData::Auto: break;
  }
  return {.overwrite = overwrite, .external_data_above = kMostInOneFile};
}

void check_one_file(const std::filesystem::path& output, ExternalData where,
                    const std::function<uint64_t()>& least_bytes) {
  if (where != ExternalData::Never) return;
  const uint64_t bytes = least_bytes();
  if (bytes <= kMostInOneFile) return;
  throw Error(ErrorCode::CannotWrite,
              output.string() + ": the model takes " + memory_text(bytes) + " at least, and protobuf allows one file " +
                  memory_text(kMostInOneFile),
              "without --format external-data=never the weights go into a file beside it");
}

std::optional<Model> in_kernels_of(const Target& target, const Model& model) {
  GraphPatch patch;
  if (target.engine.packs_products) patch = pack_products(model.graph());
  if (target.engine.gates_in_codes) patch = integer_gates(model.graph());
  if (patch.empty()) return std::nullopt;
  Model written = model.clone();
  apply_patch(written, patch);
  return written;
}

uint64_t written_bytes(const std::filesystem::path& model) {
  uint64_t bytes = 0;
  const auto add = [&](const std::filesystem::path& file) {
    std::error_code gone;  // another process may have replaced it
    const auto size = std::filesystem::file_size(file, gone);
    if (!gone) bytes += size;
  };
  const std::filesystem::path content = OutputSet::content_of(model);
  add(content);
  for (const std::filesystem::path& file : data_files_of(model, content)) add(file);
  return bytes;
}

}  // namespace detent
