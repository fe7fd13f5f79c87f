// Reads one image from its file to the tensor of a 224x224 network (--preprocess imagenet), and decodes it alone.
// Images: the bundled ones (PNG 128x128), and with the shared folder (DETENT_SHARED) JPEG of about 500x375.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "bench_data.h"
#include "datasets/images/image_decode.h"
#include "datasets/images/image_transform.h"
#include "datasets/images/preprocess.h"

namespace detent::bench {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostFiles = 32;
constexpr const char* kShared = DETENT_SHARED_DEFAULT;
constexpr const char* kSource = DETENT_SOURCE_DIR;

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  if (!fs::is_directory(folder)) return files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  files.resize(std::min(files.size(), kMostFiles));
  return files;
}

void decode(benchmark::State& state, const std::vector<fs::path>& files) {
  size_t next = 0;
  for (auto _ : state) benchmark::DoNotOptimize(decode_image(files[next++ % files.size()]).pixels);
}

void read(benchmark::State& state, const std::vector<fs::path>& files) {
  const ImageTransform transform(parse_preprocess("imagenet"), {"image", DataType::Float32, {-1, 3, 224, 224}});
  size_t next = 0;
  for (auto _ : state) benchmark::DoNotOptimize(transform.apply(decode_image(files[next++ % files.size()])).raw());
}

/// Runs the second half of `read` alone.
void transform(benchmark::State& state, const fs::path& file) {
  const ImageTransform transform(parse_preprocess("imagenet"), {"image", DataType::Float32, {-1, 3, 224, 224}});
  const DecodedImage image = decode_image(file);
  for (auto _ : state) benchmark::DoNotOptimize(transform.apply(image).raw());
}

void register_all() {
  const char* const set = std::getenv("DETENT_SHARED");
  const fs::path shared = set ? set : kShared;
  const std::pair<std::string, fs::path> folders[] = {
      {"png_128", fs::path(kSource) / "datasets/samples/shapes_unet/calib"},
      {"jpeg_500", shared / "images/imagenet/eval"},
  };
  for (const auto& [name, folder] : folders) {
    const std::vector<fs::path> files = files_in(folder);
    if (files.empty()) continue;
    const auto unit = benchmark::kMicrosecond;
    benchmark::RegisterBenchmark(("decode/" + name).c_str(), decode, files)->Unit(unit);
    benchmark::RegisterBenchmark(("transform/" + name).c_str(), transform, files.front())->Unit(unit);
    benchmark::RegisterBenchmark(("read/" + name).c_str(), read, files)->Unit(unit);
  }
}

const bool kRegistered = (register_all(), true);

}  // namespace
}  // namespace detent::bench
