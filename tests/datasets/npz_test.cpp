#include "datasets/npz.h"

#include <gmock/gmock.h>
#include <zlib.h>

#include "datasets/data_files.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

void put(std::string& out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
}

std::string deflated(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

struct ZipMember {
  std::string name, content;
  bool compressed = false;
  uint32_t wrong_checksum = 0;
};

enum class Directory { Plain, Zip64, EndlessZip64 };

/// Returns the records before the end record of a zip64 archive.
/// Source  PKWARE APPNOTE 6.3, 4.3.14 and 4.3.15.
std::string zip64_end(uint64_t members, uint64_t start, uint64_t bytes) {
  std::string out;
  put(out, 0x06064b50, 4);
  put(out, 44, 8);
  put(out, 45, 2);
  put(out, 45, 2);
  put(out, 0, 8);
  put(out, members, 8);
  put(out, members, 8);
  put(out, bytes, 8);
  put(out, start, 8);
  put(out, 0x07064b50, 4);
  put(out, 0, 4);
  put(out, start + bytes, 8);
  put(out, 1, 4);
  return out;
}

/// Returns a zip as numpy writes it: local headers declare zip64 with sizes in an extra field. The directory has plain
/// sizes, or zip64 ones as for arrays of 4 GiB and more.
std::string zip_of(const std::vector<ZipMember>& members, Directory kind = Directory::Plain) {
  const bool zip64 = kind != Directory::Plain;
  std::string out;
  std::string directory;
  for (const ZipMember& member : members) {
    const std::string data = member.compressed ? deflated(member.content) : member.content;
    const auto checksum = static_cast<uint32_t>(
        crc32(0, reinterpret_cast<const Bytef*>(member.content.data()), static_cast<uInt>(member.content.size())));
    const size_t offset = out.size();
    put(out, 0x04034b50, 4);
    put(out, 45, 2);
    put(out, 0, 2);
    put(out, member.compressed ? 8 : 0, 2);
    put(out, 0, 4);
    put(out, checksum, 4);
    put(out, 0xffffffff, 4);
    put(out, 0xffffffff, 4);
    put(out, member.name.size(), 2);
    put(out, 20, 2);
    out += member.name;
    put(out, 1, 2);
    put(out, 16, 2);
    put(out, member.content.size(), 8);
    put(out, data.size(), 8);
    out += data;
    put(directory, 0x02014b50, 4);
    put(directory, 45, 2);
    put(directory, 45, 2);
    put(directory, 0, 2);
    put(directory, member.compressed ? 8 : 0, 2);
    put(directory, 0, 4);
    put(directory, member.wrong_checksum ? member.wrong_checksum : checksum, 4);
    put(directory, zip64 ? 0xffffffff : data.size(), 4);
    put(directory, zip64 ? 0xffffffff : member.content.size(), 4);
    put(directory, member.name.size(), 2);
    put(directory, zip64 ? 28 : 0, 2);
    put(directory, 0, 2);
    put(directory, 0, 8);
    put(directory, zip64 ? 0xffffffff : offset, 4);
    directory += member.name;
    if (!zip64) continue;
    put(directory, 1, 2);
    put(directory, 24, 2);
    put(directory, member.content.size(), 8);
    put(directory, data.size(), 8);
    put(directory, offset, 8);
  }
  const size_t start = out.size();
  out += directory;
  if (zip64) out += zip64_end(kind == Directory::Zip64 ? members.size() : uint64_t{1} << 40, start, directory.size());
  put(out, 0x06054b50, 4);
  put(out, 0, 4);
  put(out, zip64 ? 0xffff : members.size(), 2);
  put(out, zip64 ? 0xffff : members.size(), 2);
  put(out, zip64 ? 0xffffffff : directory.size(), 4);
  put(out, zip64 ? 0xffffffff : start, 4);
  put(out, 0, 2);
  return out;
}

TEST(Npz, ReadsStoredAndDeflatedArrays) {
  const TemporaryFolder folder;
  folder.write("d.npz", zip_of({{"a.npy", npy_bytes<float>({2, 2}, {1, 2, 3, 4})},
                                {"note.txt", "not an array"},
                                {"b/x.npy", npy_bytes<float>({300, 40}, counting(12000)), true}}));
  const NpzFile archive(folder / "d.npz");
  EXPECT_THAT(archive.names(), ElementsAre("a", "b/x"));
  EXPECT_THAT(floats_of(archive.open("a").read_rows(1, 2)), ElementsAre(3, 4));
  EXPECT_EQ(floats_of(archive.open("b/x").read()), counting(12000));
}

TEST(Npz, ReadsZip64) {
  const TemporaryFolder folder;
  folder.write("d.npz", zip_of({{"a.npy", npy_bytes<float>({2, 2}, {1, 2, 3, 4})},
                                {"b.npy", npy_bytes<float>({300, 40}, counting(12000)), true}},
                               Directory::Zip64));
  const NpzFile archive(folder / "d.npz");
  EXPECT_THAT(archive.names(), ElementsAre("a", "b"));
  EXPECT_THAT(floats_of(archive.open("a").read_rows(1, 2)), ElementsAre(3, 4));
  EXPECT_EQ(floats_of(archive.open("b").read()), counting(12000));
}

TEST(Npz, FeedsInputsByName) {
  const TemporaryFolder folder;
  folder.write("d.npz", zip_of({{"second.npy", npy_bytes<float>({2, 1}, {10, 20}), true},
                                {"first.npy", npy_bytes<float>({2, 2}, {1, 2, 3, 4})}}));
  const std::vector<InputSpec> inputs{float_input("first", {-1, 2}), float_input("second", {-1, 1})};
  const auto source = open_data(data({(folder / "d.npz").string()}), inputs);
  ASSERT_EQ(source->size(), 2U);
  const Sample sample = source->read(1);
  EXPECT_EQ(sample.name, "d.npz[1]");
  EXPECT_THAT(floats_of(sample.inputs[0]), ElementsAre(3, 4));
  EXPECT_THAT(floats_of(sample.inputs[1]), ElementsAre(20));
}

TEST(Npz, NeedsNoNameForTheOnlyArrayOfTheOnlyInput) {
  const TemporaryFolder folder;
  folder.write("d.npz", zip_of({{"arr_0.npy", npy_bytes<float>({2, 2}, {1, 2, 3, 4})}}));
  const std::vector<InputSpec> one{float_input("x", {-1, 2})};
  EXPECT_EQ(open_data(data({(folder / "d.npz").string()}), one)->size(), 2U);
  const std::vector<InputSpec> two{float_input("x", {-1, 2}), float_input("y", {-1, 2})};
  const Error error = error_of<Error>([&] { static_cast<void>(open_data(data({(folder / "d.npz").string()}), two)); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidData);
  EXPECT_THAT(error.what(), HasSubstr("arr_0"));
}

TEST(NpzFolder, HoldsSamplesOfSeveralLengths) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "d");
  folder.write("d/10.npz",
               zip_of({{"a.npy", npy_bytes<float>({1, 2}, {1, 2})}, {"b.npy", npy_bytes<float>({1, 1}, {3})}}));
  folder.write("d/9.npz",
               zip_of({{"a.npy", npy_bytes<float>({2, 3}, counting(6))}, {"b.npy", npy_bytes<float>({2, 1}, {7, 8})}}));
  folder.write("d/x.npz", "no archive");
  const std::vector<InputSpec> inputs{float_input("a", {-1, -1}), float_input("b", {-1, 1})};
  const auto source = open_data(data({(folder / "d").string()}), inputs);
  ASSERT_EQ(source->size(), 4U);
  EXPECT_EQ(source->sample_name(1), "9.npz[1]");
  EXPECT_THAT(floats_of(source->read(1).inputs[0]), ElementsAre(3, 4, 5));
  EXPECT_EQ(source->sample_name(2), "10.npz");
  EXPECT_THAT(floats_of(source->read(2).inputs[1]), ElementsAre(3));
  EXPECT_EQ(error_of<Error>([&] { static_cast<void>(source->read(3)); }).code(), ErrorCode::InvalidData);
}

TEST(Npz, RefusesUnequalCounts) {
  const TemporaryFolder folder;
  folder.write("d.npz",
               zip_of({{"a.npy", npy_bytes<float>({2, 1}, {1, 2})}, {"b.npy", npy_bytes<float>({3, 1}, {1, 2, 3})}}));
  const std::vector<InputSpec> inputs{float_input("a", {-1, 1}), float_input("b", {-1, 1})};
  const Error error =
      error_of<Error>([&] { static_cast<void>(open_data(data({(folder / "d.npz").string()}), inputs)); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidData);
  EXPECT_THAT(error.hint(), testing::HasSubstr("--batch-axis NAME=none for each of 'a', 'b'"));
}

TEST(Npz, SaysWhatIsWrongWithAnArchive) {
  const TemporaryFolder folder;
  const std::string array = npy_bytes<float>({64}, counting(64));
  const auto message = [&](const std::string& content) {
    const auto path = folder.write("bad.npz", content);
    const Error error = error_of<Error>([&] {
      const NpzFile archive(path);
      static_cast<void>(archive.open(archive.names().front()));
    });
    EXPECT_EQ(error.code(), ErrorCode::InvalidData);
    EXPECT_THAT(error.what(), HasSubstr("bad.npz"));
    return std::string(error.what());
  };
  const std::string good = zip_of({{"a.npy", array, true}});
  EXPECT_THAT(message(""), HasSubstr("empty"));
  EXPECT_THAT(message("text"), HasSubstr("not a .npz"));
  EXPECT_THAT(message(good.substr(0, good.size() / 2)), HasSubstr("cut short"));
  EXPECT_THAT(message(zip_of({{"a.npy", array, true}}, Directory::EndlessZip64)), HasSubstr("directory"));
  EXPECT_THAT(message(zip_of({{"a.npy", array, true, 12345}})), HasSubstr("checksum"));
  EXPECT_THAT(message(zip_of({{"a.npy", std::string(1 << 20, 'x'), true}})), HasSubstr("not a .npy"));
  EXPECT_THAT(message(zip_of({{"readme.txt", "x"}})), HasSubstr("no arrays"));
  std::string damaged = good;
  damaged[30 + 5 + 20 + 3] ^= 0x55;  // behind the local header, name and extra field
  EXPECT_FALSE(message(damaged).empty());
}

}  // namespace
}  // namespace detent
