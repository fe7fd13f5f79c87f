#include "datasets/images/preprocess.h"

#include <gmock/gmock.h>

#include "datasets/data_files.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Color = PreprocessSpec::Color;

Error refusal_of_spec(const std::string& text) {
  return error_of<Error>([&] { static_cast<void>(parse_preprocess(text)); });
}

TEST(Preprocess, KnowsTheImagenetPreset) {
  const PreprocessSpec spec = parse_preprocess("imagenet");
  EXPECT_EQ(spec.resize_short, 256);
  EXPECT_EQ(spec.crop, (PixelSize{224, 224}));
  EXPECT_EQ(spec.color, Color::Rgb);
  EXPECT_EQ(spec.div, 255);
  EXPECT_THAT(spec.mean, ElementsAre(.485F, .456F, .406F));
  EXPECT_THAT(spec.std, ElementsAre(.229F, .224F, .225F));
}

TEST(Preprocess, ResizesByPillowWhereTorchvisionAndTimmDo) {
  using Interpolation = PreprocessSpec::Interpolation;
  EXPECT_EQ(parse_preprocess("imagenet").interpolation, Interpolation::PilBilinear);
  EXPECT_EQ(parse_preprocess("timm").interpolation, Interpolation::PilBicubic);
  EXPECT_EQ(parse_preprocess("imagenet-opencv").interpolation, Interpolation::Linear);
  EXPECT_EQ(parse_preprocess("unit,interp=pil-bicubic").interpolation, Interpolation::PilBicubic);
  for (const char* spec : {"imagenet", "timm", "unit,interp=pil-bilinear"})
    EXPECT_TRUE(parse_preprocess(spec).resizes_by_pillow()) << spec;
  for (const char* spec : {"imagenet-opencv", "unit", "yolo", "imagenet,interp=area"})
    EXPECT_FALSE(parse_preprocess(spec).resizes_by_pillow()) << spec;
}

TEST(Preprocess, KnowsTheLetterboxPresets) {
  const PreprocessSpec yolox = parse_preprocess("yolox");
  ASSERT_TRUE(yolox.letterbox);
  EXPECT_FALSE(yolox.letterbox->centred);
  EXPECT_EQ(yolox.letterbox->fill, 114);
  EXPECT_FALSE(yolox.letterbox->size) << "the model's";
  EXPECT_EQ(yolox.color, Color::Bgr);
  EXPECT_EQ(yolox.div, 1);
  const PreprocessSpec yolo = parse_preprocess("yolo");
  EXPECT_TRUE(yolo.letterbox->centred);
  EXPECT_EQ(yolo.color, Color::Rgb);
  EXPECT_EQ(yolo.div, 255);
}

TEST(Preprocess, EveryPresetParsesAndHasASummary) {
  for (const PreprocessPreset& preset : preprocess_presets()) {
    EXPECT_NO_THROW(static_cast<void>(parse_preprocess(preset.name))) << preset.name;
    EXPECT_FALSE(preset.summary.empty());
  }
}

TEST(Preprocess, PairsChangeAPreset) {
  const PreprocessSpec spec = parse_preprocess("imagenet,resize=320,crop=288x300 interp=cubic,layout=nhwc");
  EXPECT_EQ(spec.resize_short, 320);
  EXPECT_EQ(spec.crop, (PixelSize{288, 300}));
  EXPECT_EQ(spec.interpolation, PreprocessSpec::Interpolation::Cubic);
  EXPECT_TRUE(spec.channels_last);
  EXPECT_EQ(spec.div, 255) << "what is not named stays";
  const PreprocessSpec sized = parse_preprocess("yolox,letterbox=320x640:0:center");
  EXPECT_EQ(sized.letterbox->size, (PixelSize{320, 640}));
  EXPECT_EQ(sized.letterbox->fill, 0);
  EXPECT_TRUE(sized.letterbox->centred);
}

TEST(Preprocess, ResizeAndLetterboxReplaceEachOther) {
  EXPECT_FALSE(parse_preprocess("yolo,resize=64x64").letterbox);
  const PreprocessSpec spec = parse_preprocess("imagenet,letterbox=64x64:114:center");
  EXPECT_FALSE(spec.resize_short || spec.crop || spec.resize_to);
  EXPECT_FALSE(parse_preprocess("imagenet,resize=250x250").resize_short);
}

TEST(Preprocess, PairsAloneStartFromPlainPixels) {
  const PreprocessSpec spec = parse_preprocess("mean=127,std=128,color=bgr");
  EXPECT_EQ(spec.div, 1);
  EXPECT_THAT(spec.mean, ElementsAre(127));
  EXPECT_THAT(spec.std, ElementsAre(128));
}

TEST(Preprocess, NamesWhatIsWrong) {
  for (const char* text : {"imagenet,crop=0", "size=3", "resize=axb", "color=yuv", "div=0", "std=0", "std=-1",
                           "mean=a/b", "letterbox=4x4:300:center", "letterbox=4x4:1:left", "unit,imagenet", "mean=1/2",
                           "interp=lanczos", "layout=chw", "imagnet", "div=1/2", " , ", "resize=12x", "mean=nan"}) {
    const Error error = refusal_of_spec(text);
    EXPECT_EQ(error.code(), ErrorCode::Usage) << text;
  }
  EXPECT_THAT(refusal_of_spec("imagnet").what(), HasSubstr("'imagnet'"));
  EXPECT_THAT(refusal_of_spec("imagnet").hint(), HasSubstr("did you mean 'imagenet'?"));
  EXPECT_THAT(refusal_of_spec("torchvision").hint(),
              HasSubstr("imagenet, timm, imagenet-opencv, unit, raw, yolox, yolo"));
  EXPECT_THAT(refusal_of_spec("imagenet,color=gray").what(), HasSubstr("3 numbers for 1 channels"));
}

TEST(Preprocess, KnowsNetworksByTheirNames) {
  for (const char* name : {"yolov5", "yolov8", "yolo11", "yolo26"}) {
    const PreprocessSpec spec = parse_preprocess(name);
    ASSERT_TRUE(spec.letterbox) << name;
    EXPECT_TRUE(spec.letterbox->centred) << name;
    EXPECT_EQ(spec.color, Color::Rgb) << name;
    EXPECT_EQ(spec.div, 255) << name;
  }
  EXPECT_EQ(parse_preprocess("rtdetr").resize_to, (PixelSize{640, 640}));
  EXPECT_EQ(parse_preprocess("dfine").div, 255);
  EXPECT_THAT(parse_preprocess("clip").mean, ElementsAre(.48145466F, .4578275F, .40821073F));
  EXPECT_EQ(parse_preprocess("siglip").resize_to, (PixelSize{224, 224}));
  EXPECT_EQ(parse_preprocess("dinov2").resize_short, 256);
  EXPECT_THAT(parse_preprocess("mobilenet-tf,layout=nhwc").std, ElementsAre(.5F));
  EXPECT_THAT(parse_preprocess("efficientnet-tf").std, ElementsAre(.229F, .224F, .225F));
  EXPECT_EQ(refusal_of_spec("yolo8").code(), ErrorCode::Usage);
}

TEST(Preprocess, RefusesUnitStatisticsOnPlainPixels) {
  EXPECT_THAT(refusal_of_spec("mean=.485/.456/.406,std=.229/.224/.225").hint(), HasSubstr("div=255"));
  EXPECT_NO_THROW(static_cast<void>(parse_preprocess("div=255,mean=.485/.456/.406,std=.229/.224/.225")));
  EXPECT_NO_THROW(static_cast<void>(parse_preprocess("div=1,mean=.5,std=.5")));
  EXPECT_NO_THROW(static_cast<void>(parse_preprocess("raw,mean=.5,std=.5")));
}

}  // namespace
}  // namespace detent
