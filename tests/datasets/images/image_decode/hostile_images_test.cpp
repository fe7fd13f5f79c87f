// Files whose header lies, that hold little and claim much, or that have another format: refused within 10 s and 1 GB,
// with words that name the place.
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <opencv2/imgcodecs.hpp>

#include "datasets/data_files.h"
#include "datasets/images/image_decode.h"
#include "datasets/images/image_files.h"

namespace detent {
namespace {

using namespace test;
using ::testing::HasSubstr;
using ::testing::StartsWith;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kMeasures = false;  // sanitizers take several times as much memory and time
#elif defined(__has_feature)
constexpr bool kMeasures = !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer);
#else
constexpr bool kMeasures = true;
#endif

struct Outcome {
  std::string words;   ///< "decoded", or the error and what was printed
  double seconds = 0;  ///< of CPU time
  double megabytes = 0;
};

/// Decodes a file in a separate process.
Outcome decoded_apart(const std::filesystem::path& path) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    ::dup2(ends[1], STDERR_FILENO);
    std::string words = "decoded";
    try {
      static_cast<void>(decode_image(path));
    } catch (const Error& error) {
      words = error.code() == ErrorCode::InvalidData ? error.what() : "another code";
    }
    ::_exit(::write(STDOUT_FILENO, words.data(), words.size()) < 0 ? 1 : 0);
  }
  ::close(ends[1]);
  Outcome outcome;
  char part[512];
  for (ssize_t count = 0; (count = ::read(ends[0], part, sizeof part)) > 0;)
    outcome.words.append(part, static_cast<size_t>(count));
  ::close(ends[0]);
  rusage used{};
  int status = 0;
  EXPECT_EQ(::wait4(child, &status, 0, &used), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << outcome.words;
  for (const timeval& time : {used.ru_utime, used.ru_stime})
    outcome.seconds += static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  outcome.megabytes = static_cast<double>(used.ru_maxrss) * 1024 / 1e6;
  return outcome;
}

class HostileImages : public ::testing::Test {
 protected:
  Outcome within_bounds(const std::string& file) {
    const Outcome outcome = decoded_apart(folder_.write("a.png", file));
    EXPECT_TRUE(outcome.seconds < 10 || !kMeasures) << outcome.words << ": " << outcome.seconds << " s";
    EXPECT_TRUE(outcome.megabytes < 1000 || !kMeasures) << outcome.words << ": " << outcome.megabytes << " MB";
    return outcome;
  }
  void refused(const std::string& file, const std::string& words) {
    const std::string found = within_bounds(file).words;
    EXPECT_THAT(found, StartsWith((folder_ / "a.png").string() + ": ")) << "nothing else is printed";
    EXPECT_THAT(found, HasSubstr(words));
  }

  TemporaryFolder folder_;
};

std::string encoded(const char* ending, const cv::Mat& image, const std::vector<int>& how = {}) {
  std::vector<unsigned char> bytes;
  EXPECT_TRUE(cv::imencode(ending, image, bytes, how));
  return {bytes.begin(), bytes.end()};
}

TEST_F(HostileImages, PngWithAnotherChunkInFront) {
  const std::string png = png_file(5, 5, {2, 8}), rest = png.substr(8);
  EXPECT_EQ(within_bounds(png).words, "decoded");
  for (const size_t length : {4, 100'000})
    refused(kPngMagic + png_chunk("abCd", std::string(length, 'x')) + rest,
            "the PNG image is damaged: its first chunk, at byte 8, is no header (IHDR)");
  refused(kPngMagic + png_header(5, 5, {2, 8}) + rest, "a second header (IHDR) at byte 33");
}

TEST_F(HostileImages, PngThatClaimsMoreThanItsDataHold) {
  const std::string data = deflated(std::string(4000, '\0'));
  const auto png = [&](int side, const std::string& content) {
    return kPngMagic + png_header(side, side, {2, 8}) + png_chunk("IDAT", content) + png_chunk("IEND", "");
  };
  refused(png(9000, data), "its header, at byte 8, says 9000x9000 pixels, which");
  refused(png(40, data), "the PNG image is damaged before byte ");
  refused(png(20'000, std::string(1'500'000, '\0')),
          "an image of 20000x20000 pixels takes more than 900.0 MB to decode");
}

/// Returns a JPEG's bytes with other sides in its header, and with bytes in front of it.
std::string lying_jpeg(std::string jpeg, uint64_t side, const std::string& garbage) {
  const size_t frame = jpeg.find("\xff\xc0");
  jpeg.replace(frame + 5, 4, big(side, 2) + big(side, 2));
  return jpeg.insert(frame, garbage);
}

TEST_F(HostileImages, JpegWithGarbageInFrontOfItsSize) {
  const std::string jpeg = jpeg_file(test_picture(64, 64), {});
  EXPECT_EQ(within_bounds(lying_jpeg(jpeg, 64, "ab")).words, "decoded") << "decoders skip such bytes";
  for (const std::string& garbage : {std::string(), std::string("ab"), std::string("\xff\0\xff\xff", 4)})
    refused(lying_jpeg(jpeg, 32'000, garbage), "the JPEG image is damaged: its header says 32000x32000 pixels, which");
  refused(lying_jpeg(jpeg + std::string(4'000'000, '\0'), 32'000, "ab"),
          "an image of 32000x32000 pixels takes more than 900.0 MB to decode");
  refused(lying_jpeg(jpeg, 128, ""), "the JPEG image is truncated: its compressed data end at byte ");
}

TEST_F(HostileImages, JpegWithoutEndOfScans) {
  const std::string jpeg = jpeg_file(cv::Mat(3000, 3000, CV_8UC3, cv::Scalar::all(0)), {JCS_YCbCr, 1, 1, true});
  EXPECT_EQ(within_bounds(jpeg).words, "decoded");
  const std::string last = jpeg.substr(jpeg.rfind("\xff\xda"), jpeg.size() - 2 - jpeg.rfind("\xff\xda"));
  std::string many = jpeg.substr(0, jpeg.size() - 2);
  for (int i = 0; i < 1000; ++i) many += last;
  refused(many + "\xff\xd9", "the JPEG image has more scans at byte ");
}

TEST_F(HostileImages, BigTiffWhoseStripsAreOne) {
  const auto shared = [](uint64_t side) {
    auto tags = tiff_tags(side, side, 3, 8, 2, 1);
    tags[3].values = {8};
    return tiff_file(tags, {deflated(std::string(3 * side, '\0'))}, false, true, side);
  };
  EXPECT_EQ(within_bounds(shared(100)).words, "decoded");
  refused(shared(20'000), "an image of 20000x20000 pixels takes more than 900.0 MB to decode");
  refused(tiff_file(tiff_tags(3, uint64_t{1} << 21, 3, 8, 2, 3), {"abc"}), "has a side of more than 1048576");
}

TEST_F(HostileImages, TiffThatIsTruncatedAnywhere) {
  const std::string back =
      tiff_file(tiff_tags(40, 30, 3, 8, 2, 10), std::vector<std::string>(4, std::string(900, 'x')));
  const std::string front = encoded(".tif", test_picture(40, 30));
  EXPECT_EQ(within_bounds(back).words, "decoded");
  for (const std::string& tiff : {back, front})
    for (const size_t size : {size_t{4}, size_t{9}, tiff.size() / 4, tiff.size() / 2, tiff.size() - 150})
      refused(tiff.substr(0, size), "the TIFF image ");
  std::string cut = back;
  refused(cut.replace(back.rfind(little(4 * 900 + 8 - 900, 4)), 4, little(1 << 30, 4)),
          "in strip 4, from row 31 of 40 on");
}

TEST_F(HostileImages, TiffOfNumbersThatAreNoPixels) {
  const auto numbers_of = [](uint64_t bits, uint64_t format) {
    auto tags = tiff_tags(4, 4, 1, bits, 1, 4);
    tags.push_back({339, 3, {format}});
    return tiff_file(tags, {std::string(16 * bits / 8, '\0')});
  };
  EXPECT_EQ(within_bounds(numbers_of(16, 1)).words, "decoded");
  refused(numbers_of(32, 3), "has floating-point samples, not pixels of 8 or 16 bits; give such data as .npy");
  refused(numbers_of(32, 2), "has signed samples, not pixels of 8 or 16 bits; give such data as .npy");
  refused(numbers_of(16, 2), "has signed samples");
  refused(numbers_of(32, 1), "has 32 bits a sample; 1, 8, 10, 12, 14 and 16 are read");
}

TEST_F(HostileImages, PnmWithAHeaderThatLies) {
  const std::string pixels(48, 'x');
  EXPECT_EQ(within_bounds("P6\n4 4\n255\n" + pixels).words, "decoded");
  refused("P6\n4 4\n70000\n" + pixels, "the highest level at byte 7 is above 65535");
  refused("P6\n4 4\n0\n" + pixels, "has no valid header");
  refused("P6\n-4 4\n255\n" + pixels, "at byte 3 stands no number for its width");
  refused("P6\n4", "is truncated: it ends before its height");
  refused("P6\n30000 30000\n255\n" + pixels, "its header says 30000x30000 pixels, and 48 bytes follow behind byte 19");
  refused("P3\n2 1\n255\n1 2 3 4 x 6\n", "at byte 19 stands no number for its pixels");
  refused("P3\n2 1\n255\n1 2 33    \n", "is truncated: it ends before its pixels");
  refused("P3\n2 1\n255\n1 2 333 4 5 6\n", "stands a level of 333, and its header says 255 at most");
}

TEST_F(HostileImages, BmpWithAHeaderThatLies) {
  const std::string palette(1024, 'x');
  const BmpKind runs{8, 1, 40, false, "", palette};
  EXPECT_EQ(within_bounds(bmp_file(900, 900, runs, std::string("\0\1", 2))).words, "decoded");
  refused(bmp_file(30'000, 30'000, {24}, "abc"),
          "is truncated: its header says 30000x30000 pixels of 24 bits from byte 54");
  refused(bmp_file(40'000, 40'000, runs, std::string("\0\1", 2)), "takes more than 900.0 MB to decode");
  refused(bmp_file(2, 4, runs, std::string("\x05\1", 2)), "a run of 5 pixels before byte 1080 leaves the picture");
  refused(bmp_file(2, 4, runs, "\3\1"), "is truncated: its pixels end in row 1 of 2");
  refused(bmp_file(2, 4, {7}, "abc"), "has 7 bits a pixel in a packing that does not take them (byte 28)");
  refused(bmp_file(2, 4, {24, 0, 20}, "abc"), "has no header that is known: 20 bytes at byte 14");
  refused(bmp_file(2, 4, {8, 0, 40}, ""), "is truncated within its palette");
}

TEST_F(HostileImages, WebPOfFewBytes) {
  const std::string large =
      encoded(".webp", cv::Mat(12'000, 12'000, CV_8UC3, cv::Scalar::all(0)), {cv::IMWRITE_WEBP_QUALITY, 101});
  EXPECT_LT(large.size(), 10'000U);
  refused(large, "an image of 12000x12000 pixels takes more than 900.0 MB to decode");
  std::string damaged = encoded(".webp", test_picture(50, 50), {cv::IMWRITE_WEBP_QUALITY, 101});
  damaged.replace(damaged.size() / 2, 200, 200, '\xff');
  refused(damaged, "the WebP image ");
}

TEST_F(HostileImages, LargestImagesThatAreDecodedStayWithinTheBounds) {
  std::string black;  // rows of zeros, 1000 times smaller
  {
    const std::string rows((17'000 * 3 + 1) * 100, '\0');
    z_stream stream{};
    ASSERT_EQ(deflateInit(&stream, 9), Z_OK);
    black.resize(2'000'000);
    stream.next_out = reinterpret_cast<Bytef*>(black.data());
    stream.avail_out = static_cast<uInt>(black.size());
    for (int i = 0; i < 170; ++i) {
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rows.data()));
      stream.avail_in = static_cast<uInt>(rows.size());
      ASSERT_EQ(deflate(&stream, i == 169 ? Z_FINISH : Z_NO_FLUSH), i == 169 ? Z_STREAM_END : Z_OK);
    }
    black.resize(stream.total_out);
    deflateEnd(&stream);
  }
  EXPECT_EQ(
      within_bounds(kPngMagic + png_header(17'000, 17'000, {2, 8}) + png_chunk("IDAT", black) + png_chunk("IEND", ""))
          .words,
      "decoded");
}

TEST_F(HostileImages, OtherFormatsAreNamed) {
  const std::string hint = ", which Detent does not read";
  refused(encoded(".jp2", test_picture(128, 128)), "a.png: is JPEG 2000" + hint);
  refused(std::string("\0\0\0\x0cjP  \r\n\x87\n", 12) + std::string(900, '\0'), "is JPEG 2000" + hint);
  refused(encoded(".ras", test_picture(16, 16)), "is Sun raster" + hint);
  refused(encoded(".pam", test_picture(16, 16)), "is PAM" + hint);
  refused("P7\nWIDTH 30000\nHEIGHT 30000\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n", "is PAM" + hint);
  refused(encoded(".hdr", cv::Mat(4, 4, CV_32FC3, cv::Scalar::all(.5))), "is Radiance HDR" + hint);
  refused(encoded(".pfm", cv::Mat(4, 4, CV_32FC3, cv::Scalar::all(.5))), "is PFM" + hint);
  refused("GIF89a" + std::string(20, '\0'), "is GIF" + hint);
  refused(std::string(128, '\0') + "DICM" + std::string(20, '\0'), "is DICOM" + hint);
  refused("\x76\x2f\x31\x01" + std::string(20, '\0'), "is OpenEXR" + hint);
  refused(std::string("\0\0\0\x20"
                      "ftypavif",
                      12) +
              std::string(20, '\0'),
          "is AVIF" + hint);
  refused("some text", "not an image that can be decoded");
}

TEST_F(HostileImages, ContentDecidesNotTheName) {
  for (const char* ending : {".jpg", ".webp", ".bmp", ".ppm", ".tif"})
    EXPECT_EQ(within_bounds(encoded(ending, test_picture(9, 9))).words, "decoded") << ending;
}

}  // namespace
}  // namespace detent
