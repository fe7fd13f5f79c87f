#include "datasets/base/tensor_pb.h"

#include <gmock/gmock.h>

#include <cstring>

#include "datasets/data_files.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Encodes the protocol buffers wire format, so that the reader is not tested with its library.
std::string varint(uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  return out + static_cast<char>(value);
}
std::string number_field(int field, uint64_t value) {
  return varint(static_cast<uint64_t>(field) << 3) + varint(value);
}
std::string bytes_field(int field, const std::string& bytes) {
  return varint(static_cast<uint64_t>(field) << 3 | 2) + varint(bytes.size()) + bytes;
}
std::string tensor_pb(const std::vector<uint64_t>& dims, int type, const std::string& rest) {
  std::string out;
  for (const uint64_t extent : dims) out += number_field(1, extent);
  return out + number_field(2, static_cast<uint64_t>(type)) + rest;
}
template <class T>
std::string raw_of(const std::vector<T>& values) {
  return bytes_field(9, std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)));
}

TEST(TensorPb, ReadsRawData) {
  const TemporaryFolder folder;
  const Tensor tensor = read_tensor_pb(folder.write("t.pb", tensor_pb({2, 1}, 1, raw_of<float>({1.5F, -2}))));
  EXPECT_EQ(tensor.shape(), (Shape{2, 1}));
  EXPECT_THAT(floats_of(tensor), ElementsAre(1.5F, -2));
}

TEST(TensorPb, ReadsTypedFields) {
  const TemporaryFolder folder;
  float value = 2.5F;
  std::string float_data(4, '\0');
  std::memcpy(float_data.data(), &value, 4);
  EXPECT_THAT(floats_of(read_tensor_pb(folder.write("f.pb", tensor_pb({1}, 1, bytes_field(4, float_data))))),
              ElementsAre(2.5F));
  const Tensor ints =
      read_tensor_pb(folder.write("i.pb", tensor_pb({2}, 7, bytes_field(7, varint(5) + varint(~uint64_t{0})))));
  EXPECT_THAT(std::vector<int64_t>(ints.data<int64_t>().begin(), ints.data<int64_t>().end()), ElementsAre(5, -1));
  // float16 1.0 is 0x3c00, kept in int32_data
  const Tensor half = read_tensor_pb(folder.write("h.pb", tensor_pb({1}, 10, bytes_field(5, varint(0x3c00)))));
  EXPECT_THAT(floats_of(cast(half, DataType::Float32)), ElementsAre(1));
  const Tensor flags = read_tensor_pb(folder.write("b.pb", tensor_pb({2}, 9, bytes_field(5, varint(0) + varint(1)))));
  EXPECT_THAT(floats_of(cast(flags, DataType::Float32)), ElementsAre(0, 1));
}

TEST(TensorPb, UnpacksFourBitTypes) {
  const TemporaryFolder folder;
  // Two elements a byte, the first in the low half: 0x9F holds -1 then -7 as int4, 15 then 9 as uint4; 0x03 holds 3.
  const std::string packed = bytes_field(9, "\x9f\x03");
  const Tensor int4 = read_tensor_pb(folder.write("i.pb", tensor_pb({3}, 22, packed)));
  EXPECT_EQ(int4.type(), DataType::Int4);
  EXPECT_THAT(std::vector<int>(int4.data<int8_t>().begin(), int4.data<int8_t>().end()), ElementsAre(-1, -7, 3));
  const Tensor uint4 = read_tensor_pb(folder.write("u.pb", tensor_pb({3}, 21, packed)));
  EXPECT_THAT(std::vector<int>(uint4.data<uint8_t>().begin(), uint4.data<uint8_t>().end()), ElementsAre(15, 9, 3));
  const Tensor field =
      read_tensor_pb(folder.write("f.pb", tensor_pb({3}, 22, bytes_field(5, varint(0x9f) + varint(0x03)))));
  EXPECT_THAT(std::vector<int>(field.data<int8_t>().begin(), field.data<int8_t>().end()), ElementsAre(-1, -7, 3));
}

TEST(TensorPb, ReadsScalarsAndEmptyTensors) {
  const TemporaryFolder folder;
  EXPECT_EQ(read_tensor_pb(folder.write("s.pb", tensor_pb({}, 1, raw_of<float>({3})))).shape().rank(), 0U);
  EXPECT_EQ(read_tensor_pb(folder.write("e.pb", tensor_pb({0, 3}, 1, ""))).element_count(), 0);
}

TEST(TensorPb, TellsUnsupportedFromBroken) {
  const TemporaryFolder folder;
  const auto error = [&](const std::string& content) {
    const auto path = folder.write("x.pb", content);
    const Error caught = error_of<Error>([&] { static_cast<void>(read_tensor_pb(path)); });
    EXPECT_THAT(caught.what(), HasSubstr("x.pb"));
    return caught;
  };
  EXPECT_EQ(error(tensor_pb({1}, 8, bytes_field(6, "text"))).code(), ErrorCode::Unsupported);
  EXPECT_EQ(error(tensor_pb({1}, 14, raw_of<uint64_t>({1}))).code(), ErrorCode::Unsupported);
  const std::string sequence =
      bytes_field(1, "seq") + number_field(2, 1) + bytes_field(3, tensor_pb({1}, 1, raw_of<float>({1})));
  EXPECT_EQ(error(sequence).code(), ErrorCode::Unsupported);
  EXPECT_EQ(error("").code(), ErrorCode::InvalidData);
  EXPECT_EQ(error("just some text that is no protocol buffer").code(), ErrorCode::InvalidData);
  EXPECT_EQ(error(tensor_pb({3}, 1, raw_of<float>({1, 2}))).code(), ErrorCode::InvalidData);
  EXPECT_EQ(error(tensor_pb({1000000, 1000000}, 1, raw_of<float>({1, 2}))).code(), ErrorCode::InvalidData);
  EXPECT_EQ(error(tensor_pb({1000000, 1000}, 7, "")).code(), ErrorCode::InvalidData);
}

TEST(TensorPb, ReadsEightBitFloats) {
  const TemporaryFolder folder;
  const Tensor tensor = read_tensor_pb(folder.write("x.pb", tensor_pb({1}, 17, raw_of<uint8_t>({0x38}))));
  EXPECT_EQ(tensor.type(), DataType::Float8E4M3FN);
  EXPECT_EQ(cast(tensor, DataType::Float32).data<float>()[0], 1.0F);  // biased exponent 7, mantissa 0
}

TEST(ValuePb, ReadsSequencesAndOptionals) {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& content, PbForm form) {
    return read_value_pb(folder.write("v.pb", content), form);
  };
  const std::string one = tensor_pb({1}, 1, raw_of<float>({1})), two = tensor_pb({2}, 1, raw_of<float>({2, 3}));
  const std::string list = number_field(2, 1) + bytes_field(3, one) + bytes_field(3, two);
  const Tensor sequence = read(list, PbForm::Sequence);
  ASSERT_EQ(sequence.elements().size(), 2U);
  EXPECT_THAT(floats_of(sequence.elements()[1]), ElementsAre(2, 3));
  EXPECT_TRUE(read(number_field(2, 1), PbForm::Sequence).elements().empty());
  EXPECT_THAT(floats_of(read(number_field(2, 1) + bytes_field(3, two), PbForm::Optional)), ElementsAre(2, 3));
  EXPECT_EQ(read(number_field(2, 3) + bytes_field(5, list), PbForm::Optional).elements().size(), 2U);
  EXPECT_TRUE(read(bytes_field(1, "absent") + number_field(2, 0), PbForm::Optional).empty_handle());
}

TEST(ValuePb, TellsUnsupportedFromBroken) {
  const TemporaryFolder folder;
  const auto code = [&](const std::string& content, PbForm form) {
    const auto path = folder.write("x.pb", content);
    return error_of<Error>([&] { static_cast<void>(read_value_pb(path, form)); }).code();
  };
  const std::string text = bytes_field(3, tensor_pb({1}, 8, bytes_field(6, "text")));
  EXPECT_EQ(code(number_field(2, 1) + text, PbForm::Sequence), ErrorCode::Unsupported);
  EXPECT_EQ(code(number_field(2, 3) + bytes_field(5, ""), PbForm::Sequence), ErrorCode::Unsupported);  // lists of lists
  EXPECT_EQ(code(number_field(2, 4) + bytes_field(6, ""), PbForm::Optional), ErrorCode::Unsupported);  // a map
  const std::string cut = bytes_field(3, tensor_pb({3}, 1, raw_of<float>({1})));
  EXPECT_EQ(code(number_field(2, 1) + cut, PbForm::Sequence), ErrorCode::InvalidData);
  EXPECT_EQ(code("no protocol buffer", PbForm::Sequence), ErrorCode::InvalidData);
  EXPECT_EQ(code("", PbForm::Optional), ErrorCode::InvalidData);
}

TEST(TestDataSets, AreFoundInNaturalOrder) {
  const TemporaryFolder folder;
  for (const char* name : {"test_data_set_10", "test_data_set_2", "other"})
    std::filesystem::create_directory(folder / name);
  EXPECT_THAT(find_test_data_sets(folder.path()), ElementsAre(folder / "test_data_set_2", folder / "test_data_set_10"));
  folder.write("other/input_0.pb", "x");
  EXPECT_THAT(find_test_data_sets(folder / "other"), ElementsAre(folder / "other"));
  EXPECT_TRUE(find_test_data_sets(folder / "none").empty());
}

TEST(TestDataSets, FeedInputsByNumber) {
  const TemporaryFolder folder;
  for (int set = 0; set < 2; ++set) {
    const std::string name = "test_data_set_" + std::to_string(set);
    std::filesystem::create_directory(folder / name);
    const auto first = static_cast<float>(10 * set);
    folder.write(name + "/input_0.pb", tensor_pb({2, 2}, 1, raw_of<float>({first, first + 1, first + 2, first + 3})));
    folder.write(name + "/input_1.pb", tensor_pb({2, 1}, 7, raw_of<int64_t>({set, set + 5})));
  }
  const std::vector<InputSpec> inputs{float_input("x", {-1, 2}), float_input("n", {-1, 1})};
  const auto source = open_data(data({folder.path().string()}), inputs);
  EXPECT_THAT(sample_names(*source),
              ElementsAre("test_data_set_0[0]", "test_data_set_0[1]", "test_data_set_1[0]", "test_data_set_1[1]"));
  const Sample sample = source->read(3);
  EXPECT_THAT(floats_of(sample.inputs[0]), ElementsAre(12, 13));
  EXPECT_THAT(floats_of(sample.inputs[1]), ElementsAre(6)) << "cast from int64 to the input's float";
  EXPECT_EQ(open_data(data({(folder / "test_data_set_1").string()}), inputs)->size(), 2U);
}

TEST(TestDataSets, NameTheFileThatDoesNotFit) {
  const TemporaryFolder folder;
  folder.write("input_0.pb", tensor_pb({2, 3}, 1, raw_of<float>({1, 2, 3, 4, 5, 6})));
  const std::vector<InputSpec> inputs{float_input("x", {-1, 2})};
  const Error error = error_of<Error>([&] { static_cast<void>(open_data(data({folder.path().string()}), inputs)); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidData);
  EXPECT_THAT(error.what(), HasSubstr("input_0.pb"));
}

}  // namespace
}  // namespace detent
