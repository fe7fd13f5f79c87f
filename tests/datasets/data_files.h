#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <opencv2/imgcodecs.hpp>
#include <string>
#include <vector>

#include "datasets/base/npy_format.h"
#include "datasets/images/image_decode.h"
#include "datasets/images/pixels.h"
#include "detent/base/data_source.h"
#include "detent/base/error.h"
#include "model/temporary_folder.h"
#include "shared_folder.h"

namespace detent {

inline InputSpec float_input(const std::string& name, std::vector<int64_t> shape) {
  return {name, DataType::Float32, std::move(shape)};
}

inline DataOptions data(std::vector<std::string> sources, std::string preprocess = {}) {
  DataOptions options;
  options.sources = std::move(sources);
  options.preprocess = std::move(preprocess);
  return options;
}

/// Returns a picture whose pixels all differ from their neighbours, BGR.
inline cv::Mat test_picture(int height, int width, int seed = 0) {
  cv::Mat image(height, width, CV_8UC3);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      image.at<cv::Vec3b>(y, x) = cv::Vec3b(static_cast<unsigned char>((x * 37 + y * 11 + seed) % 256),
                                            static_cast<unsigned char>((x * 5 + y * 53 + seed) % 256),
                                            static_cast<unsigned char>((x * y + seed * 7) % 256));
  return image;
}

/// Converts pixels between the tests' image library and detent.
inline cv::Mat mat_of(const Pixels& pixels) {
  const int depth = pixels.depth() == Pixels::Depth::Bits16 ? CV_16U : CV_8U;
  const cv::Mat shared(pixels.size().height, pixels.size().width, CV_MAKETYPE(depth, pixels.channels()),
                       const_cast<unsigned char*>(pixels.row(0)), pixels.row_bytes());
  return shared.clone();
}

inline Pixels pixels_of(const cv::Mat& image) {
  const auto owner = std::make_shared<const cv::Mat>(image.clone());
  return {owner, owner->data, {image.rows, image.cols}, image.channels(), Pixels::Depth::Bits8, owner->step};
}

/// Returns the image as if it was decoded at its size.
inline DecodedImage whole(const cv::Mat& image) { return {pixels_of(image), {image.rows, image.cols}}; }

inline std::filesystem::path write_image(const std::filesystem::path& path, const cv::Mat& image) {
  std::filesystem::create_directories(path.parent_path());
  EXPECT_TRUE(cv::imwrite(path.string(), image));
  return path;
}

/// Returns the bytes of a .npy with these elements in memory order.
template <class T>
std::string npy_bytes(const Shape& shape, const std::vector<T>& values) {
  return format_npy_header(data_type_of<T>, shape) +
         std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

inline std::vector<float> counting(size_t count, float first = 0) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = first + static_cast<float>(i);
  return values;
}

inline std::vector<float> floats_of(const Tensor& tensor) {
  const auto data = tensor.data<float>();
  return {data.begin(), data.end()};
}

inline std::vector<std::string> sample_names(const DataSource& source) {
  std::vector<std::string> names;
  for (size_t i = 0; i < source.size(); ++i) names.push_back(source.sample_name(i));
  return names;
}

}  // namespace detent
