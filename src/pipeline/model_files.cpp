#include "detent/base/model_files.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "core/files/content_hash.h"
#include "core/files/mapped_file.h"
#include "core/files/sha256.h"
#include "datasets/state/pipeline_file.h"
#include "model/file/weight_files.h"

namespace detent {

namespace {

/// Returns the digest, reading in pieces whose pages are released: a large file takes no memory.
std::string digest_of(std::string_view bytes) {
  constexpr size_t kPiece = size_t{1} << 24;
  ContentHash hash;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), kPiece))) {
    const std::string_view piece = bytes.substr(0, kPiece);
    hash.add(std::as_bytes(std::span(piece)));
    let_go_of_pages(piece.data(), piece.size());
  }
  return hash.digest().hex();
}

}  // namespace

ModelFiles digest_model_files(const std::filesystem::path& model) {
  ModelFiles files;
  const auto file = MappedFile::open(model);
  files.sha256 = sha256(file->bytes());
  let_go_of_pages(file->bytes().data(), file->bytes().size());
  if (is_pipeline_file(model)) {  // its files hold the weights
    for (const PipelineFile::File& one : read_pipeline_file(model).files) {
      const auto content = MappedFile::open(one.path);
      files.weights.push_back({one.path.string(), content->bytes().size(), digest_of(content->bytes())});
    }
    return files;
  }
  for (const auto& [location, data] : weight_files(model))
    files.weights.push_back({location, data->bytes().size(), digest_of(data->bytes())});
  return files;
}

}  // namespace detent
