#include "model/file/data_files.h"

#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/stubs/logging.h>
#include <onnx/onnx_pb.h>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <set>
#include <thread>

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

fs::path folder_of(const fs::path& file) { return file.has_parent_path() ? file.parent_path() : fs::path("."); }

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

std::vector<fs::path> data_files_of(const fs::path& model) {
  if (!has_data_beside(model)) return {};  // nearly always; saves parsing a large model
  const int descriptor = ::open(model.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
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

FolderLock::FolderLock(const fs::path& folder) : descriptor_(::open(folder.c_str(), O_RDONLY | O_CLOEXEC)) {
  constexpr auto kPause = std::chrono::milliseconds(20);
  constexpr int kTries = 500;
  for (int i = 0; i < kTries && descriptor_ >= 0; ++i) {
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || (errno != EWOULDBLOCK && errno != EINTR)) return;
    std::this_thread::sleep_for(kPause);
  }
}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace detent
