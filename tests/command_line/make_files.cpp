// Files for the tests of this folder: models from ONNX text, arrays, and arrays in other forms.
#include <onnx/defs/parser.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "datasets/base/npy_file.h"
#include "datasets/base/npy_writer.h"
#include "datasets/synthetic.h"
#include "detent/base/error.h"
#include "observe/calibration_table.h"

namespace {

using namespace detent;
namespace fs = std::filesystem;

constexpr const char* kUsage =
    "make_files model TEXT OUT.onnx            ONNX text as it is, unchecked\n"
    "make_files bare OUTPUT MODEL              takes type and shape of a graph output away\n"
    "make_files npy OUT.npy DIMS SEED [TYPE]   random numbers: normal, or 0 and 1 for integers\n"
    "make_files reshape IN.npy OUT.npy DIMS\n"
    "make_files transpose IN.npy OUT.npy AXES\n"
    "make_files rows IN.npy DIR                one .npy for each row of axis 0\n"
    "make_files test_data DIR IN.npy...        test_data_set_N/input_K.pb, row N of array K\n"
    "make_files nameless IN.dct OUT.dct        a table whose samples are called by their content\n";

std::vector<int64_t> numbers(const std::string& text) {
  std::vector<int64_t> found;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) found.push_back(std::stoll(part));
  return found;
}

Shape shape_of(const std::string& text) { return Shape(std::span<const int64_t>(numbers(text))); }

void write_model_text(const fs::path& text, const fs::path& out) {
  std::ifstream stream(text);
  const std::string content{std::istreambuf_iterator<char>(stream), {}};
  onnx::ModelProto model;
  const auto status = onnx::OnnxParser::Parse(model, content.c_str());
  if (!status.IsOK()) throw Error(ErrorCode::InvalidModel, status.ErrorMessage());
  std::ofstream(out, std::ios::binary) << model.SerializeAsString();
}

void bare_output(const std::string& name, const fs::path& path) {
  onnx::ModelProto model;
  std::ifstream stream(path, std::ios::binary);
  model.ParseFromIstream(&stream);
  for (auto& output : *model.mutable_graph()->mutable_output())
    if (output.name() == name) output.clear_type();
  std::ofstream(path, std::ios::binary) << model.SerializeAsString();
}

void write_random(const fs::path& out, const Shape& shape, uint64_t seed, const std::string& type) {
  const DataType wanted = type.empty() ? DataType::Float32 : data_type_named(type);
  RandomBits bits(seed);
  Tensor values(DataType::Float32, shape);
  for (float& value : values.mutable_data<float>())
    value = wanted == DataType::Float32 ? bits.normal() : static_cast<float>(bits() >> 63);
  write_npy(out, cast(values, wanted));
}

Tensor transposed(const Tensor& in, const std::vector<int64_t>& axes) {
  Shape shape;
  for (const int64_t axis : axes) shape.push_back(in.shape()[static_cast<size_t>(axis)]);
  Tensor out(DataType::Float32, shape);
  std::vector<int64_t> index(axes.size(), 0);
  for (float& value : out.mutable_data<float>()) {
    int64_t from = 0;
    for (size_t axis = 0; axis < axes.size(); ++axis) {
      const auto place = std::ranges::find(axes, static_cast<int64_t>(axis)) - axes.begin();
      from = from * in.shape()[axis] + index[static_cast<size_t>(place)];
    }
    value = in.data<float>()[static_cast<size_t>(from)];
    for (size_t axis = axes.size(); axis-- > 0;) {
      if (++index[axis] < shape[axis]) break;
      index[axis] = 0;
    }
  }
  return out;
}

/// Row i of axis 0, without that axis.
Tensor row_of(const NpyFile& file, int64_t i) {
  const auto dims = file.shape().dims().subspan(1);
  return file.read_rows(i, i + 1).reshaped(Shape(dims));
}

void write_rows(const NpyFile& file, const fs::path& folder) {
  fs::create_directories(folder);
  for (int64_t i = 0; i < file.shape()[0]; ++i) write_npy(folder / (std::to_string(i) + ".npy"), row_of(file, i));
}

void write_test_data(const fs::path& folder, const std::vector<std::string>& arrays) {
  for (size_t k = 0; k < arrays.size(); ++k) {
    const NpyFile file{fs::path(arrays[k])};
    for (int64_t i = 0; i < file.shape()[0]; ++i) {
      const fs::path set = folder / ("test_data_set_" + std::to_string(i));
      fs::create_directories(set);
      const Tensor row = cast(row_of(file, i), DataType::Float32);
      onnx::TensorProto proto;
      proto.set_data_type(onnx::TensorProto::FLOAT);
      for (const int64_t extent : row.shape()) proto.add_dims(extent);
      proto.set_raw_data(row.raw(), row.byte_count());
      std::ofstream(set / ("input_" + std::to_string(k) + ".pb"), std::ios::binary) << proto.SerializeAsString();
    }
  }
}

void write_nameless(const fs::path& in, const fs::path& out) {
  CalibrationTable table = read_table(in);
  std::vector<size_t> order(table.samples.size());
  std::iota(order.begin(), order.end(), size_t{0});
  for (TableSample& sample : table.samples) sample.name.clear();
  std::ranges::stable_sort(order, {}, [&](size_t i) { return table.samples[i]; });
  const auto sorted = [&](const auto& list) {
    auto result = list;
    for (size_t i = 0; i < order.size(); ++i) result[i] = list[order[i]];
    return result;
  };
  table.samples = sorted(table.samples);
  for (auto& [name, value] : table.values)
    if (!value.extremes.empty()) value.extremes = sorted(value.extremes);
  write_table(table, out);
}

int run(const std::vector<std::string>& words) {
  const std::string command = words.empty() ? "" : words[0];
  const size_t count = words.size();
  if (command == "model" && count == 3)
    write_model_text(words[1], words[2]);
  else if (command == "bare" && count == 3)
    bare_output(words[1], words[2]);
  else if (command == "npy" && count >= 4)
    write_random(words[1], shape_of(words[2]), std::stoull(words[3]), count > 4 ? words[4] : "");
  else if (command == "reshape" && count == 4)
    write_npy(words[2], NpyFile(fs::path(words[1])).read().reshaped(shape_of(words[3])));
  else if (command == "transpose" && count == 4)
    write_npy(words[2], transposed(NpyFile(fs::path(words[1])).read(), numbers(words[3])));
  else if (command == "rows" && count == 3)
    write_rows(NpyFile(fs::path(words[1])), words[2]);
  else if (command == "test_data" && count >= 3)
    write_test_data(words[1], {words.begin() + 2, words.end()});
  else if (command == "nameless" && count == 3)
    write_nameless(words[1], words[2]);
  else
    return std::fputs(kUsage, stderr), 2;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "make_files: %s\n", error.what());
    return 1;
  }
}
