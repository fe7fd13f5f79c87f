#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "shared_folder.h"

namespace detent::reference_data {

/// shared/reference/calibrators, from DETENT_SHARED or beside the checkout; it need not exist.
inline std::filesystem::path folder() { return shared_folder() / "reference" / "calibrators"; }

/// One-dimensional little-endian .npy, version 1. Errors  std::runtime_error naming the file.
template <class T>
std::vector<T> read_npy(const std::filesystem::path& path) {
  static_assert(std::endian::native == std::endian::little);
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto refuse = [&](const std::string& what) { throw std::runtime_error(path.string() + ": " + what); };
  if (bytes.size() < 10 || bytes.compare(0, 6, "\x93NUMPY") != 0 || bytes[6] != 1)
    refuse("not an .npy file, version 1");
  const size_t header_size = static_cast<unsigned char>(bytes[8]) + size_t{256} * static_cast<unsigned char>(bytes[9]);
  const std::string header = bytes.substr(10, header_size);
  const std::string type = std::is_same_v<T, float> ? "<f4" : std::is_same_v<T, double> ? "<f8" : "<i8";
  if (header.find("'" + type + "'") == std::string::npos) refuse("expected elements of type " + type);
  std::vector<T> values((bytes.size() - 10 - header_size) / sizeof(T));
  if (header.find("(" + std::to_string(values.size()) + ",)") == std::string::npos)
    refuse("its size does not fit its shape");
  std::memcpy(values.data(), bytes.data() + 10 + header_size, values.size() * sizeof(T));
  return values;
}

struct Case {
  std::string data;       ///< "gauss": the raw values
  std::string histogram;  ///< "gauss_s_torch"
  bool is_unsigned = false;
  std::map<std::string, double> amax;  ///< "percentile_percentile99.9", "mse_stride4", "entropy" ...

  [[nodiscard]] std::vector<float> values() const { return read_npy<float>(folder() / (data + ".npy")); }
  [[nodiscard]] std::vector<int64_t> counts() const { return read_npy<int64_t>(folder() / (histogram + ".hist.npy")); }
  [[nodiscard]] std::vector<float> edges() const {
    const std::vector<double> edges = read_npy<double>(folder() / (histogram + ".edges.npy"));
    return {edges.begin(), edges.end()};
  }
};

inline std::vector<Case> read_cases() {
  std::ifstream file(folder() / "reference.json");
  std::vector<Case> cases;
  for (const auto& entry : nlohmann::json::parse(file))
    cases.push_back({entry.at("case"), entry.at("hist"), entry.at("unsigned"), entry.at("amax")});
  return cases;
}

}  // namespace detent::reference_data
