#include "datasets/images/load_codecs.h"

#include <dlfcn.h>

#include <cstring>
#include <filesystem>
#include <opencv2/core/version.hpp>
#include <string_view>

#include "detent/base/error.h"

namespace detent {

namespace {

constexpr const char* kModule = "libdetent_codecs.so";

/// Returns the folder of the program or shared library that contains this code; empty when unknown.
std::filesystem::path own_folder() {
  Dl_info info{};
  static const char here = 0;
  if (::dladdr(&here, &info) == 0 || !info.dli_fname) return {};
  std::error_code error;
  // A program's name may be any text of its caller.
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path holder = std::filesystem::weakly_canonical(info.dli_fname, error);
  const bool is_program = holder.extension() != ".so" && holder.string().find(".so.") == std::string::npos;
  return (is_program && !self.empty() ? self : holder).parent_path();
}

/// Returns the folder into which `cmake --install` puts the module, for a program or library in `folder`: below the
/// prefix that contains the folder.
std::filesystem::path installed_folder(const std::filesystem::path& folder) {
  for (const std::string_view below : {DETENT_FOLDERS_OF_CODE}) {
    const std::filesystem::path part(below);
    std::filesystem::path prefix = folder;
    bool ends_with = true;
    for (auto name = part.end(); ends_with && name != part.begin(); prefix = prefix.parent_path())
      ends_with = prefix.filename() == *--name;
    if (ends_with) return prefix / DETENT_CODECS_FOLDER;
  }
  return std::filesystem::path(DETENT_INSTALL_PREFIX) / DETENT_CODECS_FOLDER;
}

[[noreturn]] void refuse_codecs(const std::string& what) {
  throw Error(ErrorCode::Internal, "images and FLAC cannot be read or written: " + what,
              std::string("install Detent again: ") + kModule + " belongs to it");
}

const Codecs* load() {
  const std::filesystem::path folder = own_folder();
  std::string looked;
  for (const std::filesystem::path& place : {folder, installed_folder(folder)}) {
    const std::filesystem::path path = place / kModule;
    looked += (looked.empty() ? "" : " nor in ") + place.string();
    std::error_code error;
    if (!path.is_absolute() || !std::filesystem::exists(path, error)) continue;
    void* const module = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    const void* const codecs = module ? ::dlsym(module, "detent_codecs") : nullptr;
    if (!codecs) refuse_codecs(::dlerror());
    uint64_t version = 0;
    std::memcpy(&version, codecs, sizeof version);
    if (version != Codecs::kVersion) refuse_codecs(path.string() + " is of another version of Detent");
    return static_cast<const Codecs*>(codecs);
  }
  refuse_codecs(std::string(kModule) + " is neither in " + looked);
}

}  // namespace

const Codecs& load_codecs() {
  static const Codecs* const codecs = load();
  return *codecs;
}

std::string dataset_library_versions() { return std::string("OpenCV ") + CV_VERSION; }

}  // namespace detent
