#include "model/file/data_files.h"

#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/stubs/logging.h>
#include <onnx/onnx_pb.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "core/files/output_set.h"
#include "core/files/reach.h"

namespace detent {

namespace {

namespace fs = std::filesystem;

constexpr size_t kDigits = 16;
constexpr std::string_view kEnding = ".data";

/// True for the names that data_path_of gives to the data of `model`.
bool is_data_name(const std::string& name, const std::string& model) {
  if (name.size() != model.size() + 1 + kDigits + kEnding.size()) return false;
  const std::string digits = name.substr(model.size() + 1, kDigits);
  return name.starts_with(model + ".") && name.ends_with(kEnding) &&
         digits.find_first_not_of("0123456789abcdef") == std::string::npos;
}

bool has_data_beside(const fs::path& model) {
  std::error_code error;
  for (fs::directory_iterator entry(folder_of(model), error), end; !error && entry != end; entry.increment(error))
    if (is_data_name(entry->path().filename().string(), model.filename().string())) return true;
  return false;
}

}  // namespace

fs::path data_path_of(const fs::path& model, const Digest& content) {
  return model.string() + "." + content.hex().substr(0, kDigits) + std::string(kEnding);
}

bool may_be_data_of(const fs::path& file, const fs::path& model) {
  return is_data_name(file.filename().string(), model.filename().string()) &&
         place_of(folder_of(file)) == place_of(folder_of(model));
}

std::vector<fs::path> data_files_of(const fs::path& model, const fs::path& content) {
  if (!has_data_beside(model)) return {};  // nearly always; saves parsing a large model
  const int descriptor = ::open(content.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return {};
  google::protobuf::io::FileInputStream stream(descriptor);
  stream.SetCloseOnDelete(true);
  const google::protobuf::LogSilencer silence;
  onnx::ModelProto proto;
  if (!proto.ParseFromZeroCopyStream(&stream)) return {};
  std::set<fs::path> found;
  for (const onnx::TensorProto& tensor : proto.graph().initializer())
    for (const onnx::StringStringEntryProto& entry : tensor.external_data())
      if (entry.key() == "location" && is_data_name(entry.value(), model.filename().string()))
        found.insert(folder_of(model) / entry.value());
  return {found.begin(), found.end()};
}

std::vector<fs::path> data_files_of(const fs::path& model) { return data_files_of(model, model); }

}  // namespace detent
