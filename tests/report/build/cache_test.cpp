#include <gtest/gtest.h>

#include "report/text/text.h"
#include "whole_files.h"

namespace detent {
namespace {

TEST(CacheText, NamesTheWrittenFilesOfAnExport) {
  CacheExportReport report = whole_cache_export("net.cache");
  const std::string text =
      "net.dct  calibrator mse     target tensorrt:10.13\n"
      "wrote out/net.cache (42 scales)\n";
  EXPECT_EQ(to_text(report), text + "wrote out/net.dla.txt (trtexec's arguments)\n");
  report.arguments.clear();
  EXPECT_EQ(to_text(report), text);
}

TEST(CacheText, ListsTheNamesOfAnImportThatMatchNothing) {
  EXPECT_EQ(to_text(whole_cache_import("v")),
            "net.cache  TRT-101300-EntropyCalibration2\n"
            "imported 41 scales\n"
            "3 names of the cache that the model does not have:\n  v\n  x\n  y\n"
            "2 names of the cache with scale 0, left out:\n  z\n  w\n"
            "1 value to be quantized for tensorrt:10.13 without a scale in the cache:\n  image\n"
            "wrote out/net.dct\n");
}

TEST(CacheText, SaysThatNothingIsMissing) {
  CacheImportReport report = whole_cache_import("v");
  report.unknown.clear(), report.without_scale.clear(), report.missing.clear();
  EXPECT_EQ(to_text(report),
            "net.cache  TRT-101300-EntropyCalibration2\n"
            "imported 41 scales\n"
            "every value to be quantized for tensorrt:10.13 has a scale\n"
            "wrote out/net.dct\n");
}

}  // namespace
}  // namespace detent
