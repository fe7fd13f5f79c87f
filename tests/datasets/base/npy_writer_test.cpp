#include <gmock/gmock.h>

#include "datasets/base/npy_file.h"
#include "datasets/base/npy_writer.h"
#include "datasets/data_files.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <class T>
void expect_read_back(const TemporaryFolder& folder) {
  const std::vector<T> values{T(0), T(1), T(1), T(0), T(1), T(0)};
  folder.write("a.npy", npy_bytes<T>({2, 3}, values));
  const NpyFile file(folder / "a.npy");
  ASSERT_EQ(file.type(), data_type_of<T>);
  ASSERT_EQ(file.shape(), (Shape{2, 3}));
  const Tensor tensor = file.read();
  for (size_t i = 0; i < values.size(); ++i) EXPECT_EQ(tensor.data<T>()[i], values[i]);
}

/// Returns a header of a given version as numpy writes it.
std::string raw_npy(int version, const std::string& dictionary, const std::string& payload) {
  std::string text = dictionary + "\n";
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(version);
  bytes += '\0';
  bytes += static_cast<char>(text.size() & 0xff);
  bytes += static_cast<char>(text.size() >> 8);
  if (version > 1) bytes += std::string(2, '\0');
  return bytes + text + payload;
}

TEST(NpyFile, ReadsEveryElementType) {
  const TemporaryFolder folder;
  expect_read_back<float>(folder);
  expect_read_back<double>(folder);
  expect_read_back<int8_t>(folder);
  expect_read_back<int16_t>(folder);
  expect_read_back<int32_t>(folder);
  expect_read_back<int64_t>(folder);
  expect_read_back<uint8_t>(folder);
  expect_read_back<uint16_t>(folder);
  expect_read_back<uint32_t>(folder);
  expect_read_back<uint64_t>(folder);
}

TEST(NpyFile, ReadsHalfAndBool) {
  const TemporaryFolder folder;
  folder.write("h.npy", raw_npy(1, "{'descr': '<f2', 'fortran_order': False, 'shape': (2,), }",
                                std::string("\x00\x3c\x00\xc0", 4)));
  const Tensor half = NpyFile(folder / "h.npy").read();
  EXPECT_EQ(half.type(), DataType::Float16);
  EXPECT_THAT(floats_of(cast(half, DataType::Float32)), ElementsAre(1, -2));
  folder.write("b.npy",
               raw_npy(1, "{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }", std::string("\x00\x01\x07", 3)));
  const Tensor flags = NpyFile(folder / "b.npy").read();
  EXPECT_THAT(floats_of(cast(flags, DataType::Float32)), ElementsAre(0, 1, 1)) << "any byte but 0 is true";
}

TEST(NpyFile, ReadsHeaderVersionsOneToThreeAndScalars) {
  const TemporaryFolder folder;
  const float value = 2.5F;
  const std::string payload(reinterpret_cast<const char*>(&value), 4);
  for (const int version : {1, 2, 3}) {
    folder.write("v.npy", raw_npy(version, "{\"descr\": \"<f4\", 'shape': (), 'fortran_order': False}", payload));
    const Tensor tensor = NpyFile(folder / "v.npy").read();
    EXPECT_EQ(tensor.shape().rank(), 0U);
    EXPECT_THAT(floats_of(tensor), ElementsAre(2.5F));
  }
  folder.write("v.npy", raw_npy(4, "{'descr': '<f4', 'fortran_order': False, 'shape': (), }", payload));
  EXPECT_THAT(error_of<Error>([&] { NpyFile(folder / "v.npy"); }).what(), HasSubstr("version 4"));
}

TEST(NpyFile, ReadsSingleRowsOfBothOrders) {
  const TemporaryFolder folder;
  // Element (n, c, x) is 100 n + 10 c + x in both files; the Fortran file stores n fastest, x slowest.
  const int64_t rows = 3;
  std::vector<float> c_order;
  std::vector<float> fortran;
  for (int n = 0; n < 3; ++n)
    for (int c = 0; c < 2; ++c)
      for (int x = 0; x < 4; ++x) c_order.push_back(static_cast<float>(100 * n + 10 * c + x));
  for (int x = 0; x < 4; ++x)
    for (int c = 0; c < 2; ++c)
      for (int n = 0; n < 3; ++n) fortran.push_back(static_cast<float>(100 * n + 10 * c + x));
  folder.write("c.npy", npy_bytes<float>({3, 2, 4}, c_order));
  folder.write("f.npy", raw_npy(1, "{'descr': '<f4', 'fortran_order': True, 'shape': (3, 2, 4), }",
                                std::string(reinterpret_cast<const char*>(fortran.data()), fortran.size() * 4)));
  const NpyFile c_file(folder / "c.npy");
  const NpyFile f_file(folder / "f.npy");
  EXPECT_TRUE(f_file.fortran_order());
  EXPECT_EQ(floats_of(f_file.read()), c_order);
  for (int64_t n = 0; n < rows; ++n) {
    EXPECT_EQ(c_file.read_rows(n, n + 1).shape(), (Shape{1, 2, 4}));
    EXPECT_EQ(floats_of(c_file.read_rows(n, n + 1)),
              std::vector<float>(c_order.begin() + n * 8, c_order.begin() + n * 8 + 8));
    EXPECT_EQ(floats_of(f_file.read_rows(n, n + 1)), floats_of(c_file.read_rows(n, n + 1)));
  }
}

TEST(NpyFile, GathersAFortranRowAcrossSeveralBlocks) {
  const TemporaryFolder folder;
  const int64_t rows = 1 << 17;  // stride 512 KiB: two elements a block of 1 MiB
  std::vector<float> fortran(static_cast<size_t>(rows) * 5);
  for (int64_t x = 0; x < 5; ++x)
    for (int64_t n = 0; n < rows; ++n) fortran[static_cast<size_t>(x * rows + n)] = static_cast<float>(n * 5 + x);
  folder.write("f.npy", raw_npy(1, "{'descr': '<f4', 'fortran_order': True, 'shape': (131072, 5), }",
                                std::string(reinterpret_cast<const char*>(fortran.data()), fortran.size() * 4)));
  EXPECT_THAT(floats_of(NpyFile(folder / "f.npy").read_rows(777, 778)), ElementsAre(3885, 3886, 3887, 3888, 3889));
}

TEST(NpyFile, SaysWhatIsWrongWithAFile) {
  const TemporaryFolder folder;
  const auto message = [&](const std::string& content) {
    const auto path = folder.write("bad.npy", content);
    const Error error = error_of<Error>([&] { const NpyFile file(path); });
    EXPECT_EQ(error.code(), ErrorCode::InvalidData);
    EXPECT_THAT(error.what(), HasSubstr("bad.npy"));
    return std::string(error.what());
  };
  EXPECT_THAT(message(""), HasSubstr("empty"));
  EXPECT_THAT(message("this is text, not an array"), HasSubstr("not a .npy"));
  const std::string good = npy_bytes<float>({4, 2}, counting(8));
  EXPECT_THAT(message(good.substr(0, 40)), HasSubstr("cut short"));
  EXPECT_THAT(message(good.substr(0, good.size() - 1)), HasSubstr("32 bytes, 31 are there"));
  EXPECT_THAT(message(raw_npy(1, "{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", "abcd")),
              HasSubstr("big-endian"));
  EXPECT_THAT(message(raw_npy(1, "{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }", "abcdefgh")),
              HasSubstr("'<c8'"));
  EXPECT_THAT(message(raw_npy(1, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", "abcd")),
              HasSubstr("records"));
  EXPECT_THAT(message(raw_npy(
                  1, "{'descr': '<f4', 'fortran_order': False, 'shape': (9000000000, 9000000000, 9000000000), }", "")),
              HasSubstr("impossibly large"));
  EXPECT_EQ(error_of<Error>([&] { const NpyFile file(folder / "none.npy"); }).code(), ErrorCode::InvalidData);
}

TEST(NpyWriter, StacksSamplesOnAxisZero) {
  const TemporaryFolder folder;
  NpyWriter writer(folder / "out.npy");
  writer.append(Tensor::from<float>({1, 2}, {1, 2}));
  writer.append(Tensor::from<float>({2, 2}, {3, 4, 5, 6}));
  EXPECT_EQ(writer.rows(), 3);
  EXPECT_THAT(floats_of(writer.read_back(1)), ElementsAre(3, 4));
  EXPECT_FALSE(std::filesystem::exists(folder / "out.npy")) << "nothing under its name before close()";
  writer.close();
  const NpyFile file(folder / "out.npy");
  EXPECT_EQ(file.shape(), (Shape{3, 2}));
  EXPECT_THAT(floats_of(file.read()), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(folder.names(), ElementsAre("out.npy"));
}

TEST(NpyWriter, WritesScalarsAsAVector) {
  const TemporaryFolder folder;
  NpyWriter writer(folder / "s.npy");
  for (const int64_t value : {7, 8, 9}) writer.append(Tensor::scalar<int64_t>(value));
  writer.close();
  const Tensor tensor = NpyFile(folder / "s.npy").read();
  EXPECT_EQ(tensor.shape(), (Shape{3}));
  EXPECT_THAT(std::vector<int64_t>(tensor.data<int64_t>().begin(), tensor.data<int64_t>().end()), ElementsAre(7, 8, 9));
}

TEST(NpyWriter, LeavesNothingWithoutClose) {
  const TemporaryFolder folder;
  { NpyWriter(folder / "out.npy").append(Tensor::from<float>({1, 1}, {1})); }
  EXPECT_TRUE(folder.names().empty());
}

TEST(NpyWriter, KnowsWhatFits) {
  const TemporaryFolder folder;
  NpyWriter writer(folder / "out.npy");
  EXPECT_TRUE(writer.fits(Tensor::from<float>({1, 3}, {1, 2, 3})));
  writer.append(Tensor::from<float>({1, 2}, {1, 2}));
  EXPECT_TRUE(writer.fits(Tensor::from<float>({5, 2}, std::initializer_list<float>{0, 0, 0, 0, 0, 0, 0, 0, 0, 0})));
  EXPECT_FALSE(writer.fits(Tensor::from<float>({1, 3}, {1, 2, 3})));
  EXPECT_FALSE(writer.fits(Tensor::from<int32_t>({1, 2}, {1, 2})));
  EXPECT_FALSE(writer.fits(Tensor::scalar<float>(1)));
  EXPECT_EQ(error_of<Error>([&] { writer.append(Tensor::scalar<float>(1)); }).code(), ErrorCode::Internal);
}

TEST(NpyWriter, WidensBrainFloatsAndKeepsHalves) {
  const TemporaryFolder folder;
  const Tensor values = Tensor::from<float>({2}, {1.5F, -3});
  write_npy(folder / "b.npy", cast(values, DataType::BFloat16));
  EXPECT_EQ(NpyFile(folder / "b.npy").type(), DataType::Float32);
  EXPECT_THAT(floats_of(NpyFile(folder / "b.npy").read()), ElementsAre(1.5F, -3));
  write_npy(folder / "h.npy", cast(values, DataType::Float16));
  EXPECT_EQ(NpyFile(folder / "h.npy").type(), DataType::Float16);
}

TEST(NpyWriter, ReadsBrainFloatRowsBackInTheirOwnType) {
  const TemporaryFolder folder;
  NpyWriter writer(folder / "b.npy");
  writer.append(cast(Tensor::from<float>({1, 2}, {1.5F, -3}), DataType::BFloat16));
  EXPECT_EQ(writer.read_back(0).type(), DataType::BFloat16);
  EXPECT_THAT(floats_of(cast(writer.read_back(0), DataType::Float32)), ElementsAre(1.5F, -3));
}

TEST(NpyWriter, WritesChannelsLastTensorsInPlainOrder) {
  const TemporaryFolder folder;
  const Tensor plain = Tensor::from<float>({1, 2, 3}, {1, 2, 3, 4, 5, 6});
  write_npy(folder / "c.npy", to_channels_last(plain));
  EXPECT_THAT(floats_of(NpyFile(folder / "c.npy").read()), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(NpyWriter, PadsTheHeaderTo64BytesAndReplacesAnOldFile) {
  const TemporaryFolder folder;
  folder.write("x.npy", "old");
  write_npy(folder / "x.npy", Tensor::scalar<float>(4));
  const std::string bytes = TemporaryFolder::read(folder / "x.npy");
  EXPECT_EQ((bytes.size() - 4) % 64, 0U) << "numpy.lib.format: the elements are aligned to 64 bytes";
  EXPECT_THAT(floats_of(NpyFile(folder / "x.npy").read()), ElementsAre(4));
}

TEST(NpyWriter, NamesAFileThatCannotBeWritten) {
  const Error error = error_of<Error>([] { NpyWriter writer("no/such/folder/x.npy"); });
  EXPECT_EQ(error.code(), ErrorCode::CannotWrite);
  EXPECT_THAT(error.what(), HasSubstr("no/such/folder/x.npy"));
}

}  // namespace
}  // namespace detent
