#include "datasets/load_codecs.h"

#include <dlfcn.h>

#include <filesystem>

#include "detent/error.h"

namespace detent {

namespace {

constexpr const char* kModule = "libdetent_codecs.so";

/// Folder of the program or shared library that this code is in; empty when the linker does not tell.
std::filesystem::path own_folder() {
  Dl_info info{};
  static const char here = 0;
  if (::dladdr(&here, &info) == 0 || !info.dli_fname) return {};
  std::error_code error;
  // A program's name may be what its caller wrote.
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path holder = std::filesystem::weakly_canonical(info.dli_fname, error);
  const bool is_program = holder.extension() != ".so" && holder.string().find(".so.") == std::string::npos;
  return (is_program && !self.empty() ? self : holder).parent_path();
}

const ImageCodecs* load() {
  std::vector<std::string> places;
  if (const std::filesystem::path folder = own_folder(); !folder.empty()) {
    places = {folder / kModule};
    // bin, lib/x86_64-linux-gnu and lib/python3/dist-packages/detent all stand below the prefix that the module's folder starts from.
    std::filesystem::path above = folder;
    for (int i = 0; i < 5 && above.has_relative_path(); ++i) {
      above = above.parent_path();
      places.push_back(above / DETENT_CODECS_FOLDER / kModule);
    }
  }
  places.emplace_back(kModule);
  void* module = nullptr;
  for (const std::string& place : places) {
    std::error_code error;
    if (place != kModule && !std::filesystem::exists(place, error)) continue;
    if ((module = ::dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL))) break;
  }
  const void* codecs = module ? ::dlsym(module, "detent_image_codecs") : nullptr;
  if (!codecs) {
    const char* reason = ::dlerror();
    throw Error(ErrorCode::Internal, "images cannot be read: " + std::string(reason ? reason : kModule),
                std::string("the installation lacks ") + kModule);
  }
  return static_cast<const ImageCodecs*>(codecs);
}

}  // namespace

const ImageCodecs& load_codecs() {
  static const ImageCodecs* const codecs = load();
  return *codecs;
}

}  // namespace detent
