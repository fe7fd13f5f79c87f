#include "datasets/text/text_records.h"

#include <gmock/gmock.h>

#include "datasets/data_files.h"

namespace detent {
namespace {

TEST(TextSpec, EndsAPathAtItsKeysOnly) {
  const TextSpec spec = parse_text_spec("text:a,b.txt,vocab=v.txt,length=12,field=body");
  EXPECT_EQ(spec.file, "a,b.txt");
  EXPECT_EQ(spec.vocabulary, "v.txt");
  EXPECT_EQ(spec.length, 12);
  EXPECT_EQ(spec.field, "body");
  EXPECT_EQ(error_of<Error>([] { static_cast<void>(parse_text_spec("text:,vocab=bytes")); }).code(), ErrorCode::Usage);
  EXPECT_EQ(error_of<Error>([] { static_cast<void>(parse_text_spec("text:a,length=0")); }).code(), ErrorCode::Usage);
}

}  // namespace
}  // namespace detent
