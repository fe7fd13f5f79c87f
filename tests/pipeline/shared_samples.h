#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "detent/base/data_source.h"
#include "run/open_samples.h"
#include "shared_folder.h"

namespace detent {

/// Every model of the shared folder; empty where it is not there.
inline std::vector<std::filesystem::path> shared_models() {
  namespace fs = std::filesystem;
  std::vector<fs::path> files;
  if (!fs::exists(shared_folder() / "models")) return files;
  for (const char* folder : {"models", "exports"})
    for (const auto& entry : fs::recursive_directory_iterator(shared_folder() / folder))
      if (entry.path().extension() == ".onnx") files.push_back(entry.path());
  return files;
}

/// "folder/model.onnx".
inline std::string short_name(const std::filesystem::path& file) {
  return file.parent_path().filename().string() + "/" + file.filename().string();
}

/// Two samples of a model: real ones where it is particular, else random numbers.
inline std::unique_ptr<DataSource> two_samples_of(const std::filesystem::path& file, const Model& model, int seed) {
  DataOptions data;
  if (file.string().find("ppocr") != std::string::npos) {
    data.sources = {(shared_folder() / "images/ocr").string()};
    data.preprocess = "imagenet,resize=320x320,crop=320x320";
    data.limit = 2;
  } else {
    data.sources = {"random:normal,n=2,seed=" + std::to_string(seed)};
  }
  return open_samples(parse_samples(data), model);
}

}  // namespace detent
