// make_corpus FOLDER: writes the seeds of every target as FOLDER/TARGET/NAME with the program's writers.
#include <onnx/onnx-data_pb.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <opencv2/imgcodecs.hpp>
#include <string>
#include <vector>

#include "calibrate/engines/tensorrt/tensorrt_cache.h"
#include "datasets/base/npy_format.h"
#include "datasets/base/npy_writer.h"
#include "datasets/images/image_files.h"
#include "exec/one_node_models.h"
#include "exec/one_node_protos.h"
#include "fuzz/node_from_bytes.h"
#include "fuzz/seed_models.h"
#include "observe/calibration_table.h"

namespace {

using namespace detent;
namespace fs = std::filesystem;

class Corpus {
 public:
  explicit Corpus(fs::path folder) : folder_(std::move(folder)) {}

  void add(const std::string& target, const std::string& name, const std::string& bytes) const {
    const fs::path path = folder_ / target / name;
    fs::create_directories(path.parent_path());
    std::ofstream stream(path, std::ios::binary | std::ios::trunc);
    stream << bytes;
    if (!stream.flush()) throw std::runtime_error(path.string() + " cannot be written");
  }

 private:
  fs::path folder_;
};

void add_models(const Corpus& corpus) {
  for (size_t i = 0; i < std::size(test::kOneNodes); ++i) {
    corpus.add("model", "node_" + std::to_string(i), test::model_of(test::kOneNodes[i])->SerializeAsString());
    corpus.add("node", std::to_string(i), fuzz::bytes_of_row(i));
  }
  for (const auto& [name, text] : fuzz::kSeedModels)
    corpus.add("model", std::string(name), parse_model_text(std::string(text)).proto().SerializeAsString());
  corpus.add("model", "external", fuzz::model_with_external_data().SerializeAsString());
}

template <class T>
std::string npy(const Shape& shape, T value) {
  const std::vector<T> values(static_cast<size_t>(shape.element_count()), value);
  return format_npy_header(data_type_of<T>, shape) +
         std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

/// A number of `bytes` bytes, the least significant first, as zip archives have them.
std::string little(uint64_t number, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(number >> (8 * i) & 0xFF);
  return text;
}

/// A zip archive of one stored member. Source  PKWARE APPNOTE 6.3, 4.3.7, 4.3.12 and 4.3.16.
std::string stored_zip(const std::string& name, const std::string& content) {
  constexpr uint32_t kPolynomial = 0xEDB88320U;
  uint32_t sum = ~0U;
  for (const char c : content) {
    sum ^= static_cast<uint8_t>(c);
    for (int bit = 0; bit < 8; ++bit) sum = sum >> 1U ^ (sum & 1U ? kPolynomial : 0U);
  }
  const std::string sizes =
      little(~sum, 4) + little(content.size(), 4) + little(content.size(), 4) + little(name.size(), 2);
  const std::string local = "PK\3\4" + little(20, 2) + little(0, 8) + sizes + little(0, 2) + name + content;
  const std::string entry =
      "PK\1\2" + little(20, 2) + little(20, 2) + little(0, 8) + sizes + std::string(16, '\0') + name;
  return local + entry + "PK\5\6" + little(0, 4) + little(1, 2) + little(1, 2) + little(entry.size(), 4) +
         little(local.size(), 4) + little(0, 2);
}

void add_arrays(const Corpus& corpus) {
  corpus.add("npy", "float", npy<float>(Shape{2, 3}, 0.5F));
  corpus.add("npy", "int64", npy<int64_t>(Shape{4}, 7));
  corpus.add("npy", "scalar", npy<double>(Shape{}, 1.0));
  corpus.add("npy", "empty", npy<float>(Shape{0, 5}, 0.0F));
  std::string fortran = npy<uint8_t>(Shape{3, 2, 2}, 9);
  if (const size_t at = fortran.find("False"); at != fortran.npos) fortran.replace(at, 5, "True ");
  corpus.add("npy", "fortran", fortran);
  corpus.add("npz", "stored", stored_zip("x.npy", npy<float>(Shape{2, 2}, 0.5F)));
  corpus.add("npz", "nothing", "PK\5\6" + std::string(18, '\0'));
  onnx::TensorProto tensor;
  tensor_to_proto(Tensor(DataType::Int32, Shape{2, 2}), tensor);
  corpus.add("tensor_pb", "tensor", std::string(1, '\0') + tensor.SerializeAsString());
  onnx::TensorProto typed;
  typed.set_data_type(onnx::TensorProto::FLOAT);
  typed.add_dims(2);
  typed.add_float_data(1), typed.add_float_data(2);
  corpus.add("tensor_pb", "typed", std::string(1, '\0') + typed.SerializeAsString());
  onnx::SequenceProto list;
  list.set_elem_type(onnx::SequenceProto::TENSOR);
  *list.add_tensor_values() = tensor;
  corpus.add("tensor_pb", "list", std::string(1, '\1') + list.SerializeAsString());
  onnx::OptionalProto optional;
  optional.set_elem_type(onnx::OptionalProto::TENSOR);
  *optional.mutable_tensor_value() = typed;
  corpus.add("tensor_pb", "optional", std::string(1, '\2') + optional.SerializeAsString());
}

/// Adds kinds of images that OpenCV does not write.
void add_packed_images(const Corpus& corpus, const cv::Mat& image) {
  using namespace test;
  corpus.add("image", "progressive.jpg", jpeg_file(image, {JCS_YCbCr, 2, 2, true, false, 1}));
  corpus.add("image", "arithmetic.jpg", jpeg_file(image, {JCS_YCbCr, 1, 1, false, true}));
  corpus.add("image", "cmyk.jpg", jpeg_file(cv::Mat(9, 9, CV_8UC4, cv::Scalar(1, 20, 99, 200)), {JCS_YCCK, 2, 1}));
  corpus.add("image", "interlaced.png", png_file(9, 9, {6, 16, true}));
  corpus.add("image", "palette.png", png_file(9, 9, {3, 1, false, "abcdef", "gh"}));
  const std::string palette(64, 'p');
  corpus.add("image", "runs.bmp",
             bmp_file(2, 5, {4, 2, 40, false, "", palette}, std::string("\5\x21\0\0\0\3\x12\x10\2\x11\0\1", 12)));
  corpus.add("image", "masks.bmp", bmp_file(2, 2, {32, 3, 56, true, std::string(16, 'm')}, palette));
  corpus.add("image", "text.pgm", "P2 # levels\n2 2 300\n1 2 3 299\n");
  corpus.add("image", "bits.pbm", "P4\n9 2\nabcd");
  for (const bool is_big : {false, true})
    for (const uint64_t bits : {1, 8, 12, 16}) {
      auto tags = tiff_tags(16, 16, 3, bits, 2, 16);
      const std::string name = std::to_string(bits) + (is_big ? "big" : "");
      corpus.add("image", name + ".tif", tiff_file(tags, {std::string(96 * bits, 'x')}, false, is_big));
      tags[3].values = {8};
      tags[6] = {322, 4, {16}};
      tags.push_back({323, 4, {16}});
      tags.push_back({274, 3, {bits % 8 + 1}});
      corpus.add("image", name + "tiled.tif", tiff_file(tags, {deflated(std::string(96 * bits, 'x'))}, true, is_big));
    }
}

void add_images(const Corpus& corpus) {
  cv::Mat image(6, 9, CV_8UC3);
  for (int y = 0; y < image.rows; ++y)
    for (int x = 0; x < image.cols; ++x)
      image.at<cv::Vec3b>(y, x) = cv::Vec3b(static_cast<uchar>(x * 20), static_cast<uchar>(y * 30), 99);
  for (const char* extension : {".jpg", ".png", ".webp", ".bmp", ".ppm", ".tif"}) {
    std::vector<uchar> bytes;
    if (cv::imencode(extension, image, bytes))
      corpus.add("image", std::string("picture") + extension, {bytes.begin(), bytes.end()});
  }
  cv::Mat classes(4, 4, CV_16UC1, cv::Scalar(300));
  std::vector<uchar> bytes;
  cv::imencode(".png", classes, bytes);
  corpus.add("image", "mask16.png", {bytes.begin(), bytes.end()});
  add_packed_images(corpus, image);
}

void add_tables(const Corpus& corpus) {
  CalibrationTable table;
  table.model = "0123456789abcdef0123456789abcdef";
  table.tools = {"detent 0.1.0"};
  table.instruction_sets = {"avx2"};
  table.shards = {{}};
  table.groups = {{"conv", "relu"}};
  const std::vector<float> numbers{-1.5F, 0.0F, 0.25F, 3.0F};
  for (const char* name : {"conv", "relu"})
    table.values[name].extremes.push_back(table.values[name].histogram.add(numbers));
  table.samples.push_back({"000.png", {1, 2}});
  corpus.add("table", "measured", table_to_bytes(table));
  table.tokens["conv"].add(std::vector<float>{9, 1, 2, 0.5F, -3, 1}, 2);
  corpus.add("table", "tokens", table_to_bytes(table));
  CalibrationTable imported;
  imported.model = table.model;
  imported.tools = table.tools;
  imported.shards = {{}};
  imported.values["x"].scale = 0.5F;
  corpus.add("table", "imported", table_to_bytes(imported));
  corpus.add("cache", "two",
             format_tensorrt_cache({"TRT-8601-EntropyCalibration2", {{"input", 0.5F}, {"a: b", 2.0F}}}));
}

void add_engines(const Corpus& corpus) {
  corpus.add(
      "engine", "detailed",
      R"({"Layers": [{"Name": "w.weight + Conv_1", "LayerType": "CaskConvolution", "Weights": {"Type": "Int8"},)"
      R"("Inputs": [{"Name": "x", "Format/Datatype": "Int8"}], "Outputs": [{"Name": "y", "Format/Datatype":)"
      R"("Half"}], "Metadata": "[ONNX Layer: Conv_1]\u001e[ONNX Layer: Relu_2]"}, {"Name": "q", "LayerType":)"
      R"("Reformat", "Origin": "QDQ", "Inputs": [{"Name": "y", "Format/Datatype": "Half"}], "Outputs": [{"Name":)"
      R"("z", "Format/Datatype": "Int8"}]}], "Bindings": ["x", "z"]})");
  corpus.add("engine", "names", R"({"Layers": ["w.weight + QuantizeLinear_1 + Conv_2 + PWN(PWN(a), b) || Conv_3"]})");
  corpus.add("engine", "dumps", "--- Layer 0 ---\n{\"Name\": \"__myl_CastMul_myl2_3\", \"LayerType\": \"kgen\"}\n");
  corpus.add("engine", "built", "Layer(Reformat): q, Tactic: 0x0, x (Float[1,3]) -> y (Int8[1,3:4]), z[Half(1,3)]\n");
  corpus.add("engine", "dumped",
             "Name: a, LayerType: NoOp, Inputs: [ { Name: x, Location: Device, Dimensions: [1], Format/Datatype: Half "
             "}], Outputs: [ { Name: y, Dimensions: [1], Format/Datatype: Half }], Origin: QDQ\n");
  corpus.add("engine", "events",
             R"([{"cat": "Node", "name": "a_kernel_time", "dur": 5, "args": {"op_name": "QLinearConv",)"
             R"("input_type_shape": [{"uint8": [1]}], "output_type_shape": [{"uint8": [1]}]}}])");
}

/// The bytes of hexadecimal digits.
std::string bytes_of(const std::string& digits) {
  std::string bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  return bytes;
}

void add_audio(const Corpus& corpus) {
  for (const auto& [coding, bytes] : {std::pair{1, 1}, {1, 2}, {1, 3}, {1, 4}, {3, 4}, {3, 8}}) {
    const std::string data(static_cast<size_t>(bytes) * 800, '\x3e');
    const std::string format = little(static_cast<uint64_t>(coding), 2) + little(2, 2) + little(8000, 4) +
                               little(0, 4) + little(static_cast<uint64_t>(2 * bytes), 2) + little(0, 2);
    const std::string name = (coding == 3 ? "f" : "i") + std::to_string(8 * bytes);
    corpus.add("audio", name,
               "RIFF" + little(36 + data.size(), 4) + "WAVEfmt " + little(16, 4) + format + "data" +
                   little(data.size(), 4) + data);
  }
  // 32 frames of two channels, as libFLAC writes them.
  corpus.add("audio", "flac",
             bytes_of("664c6143800000221000100000006100006101f402f000000020e69f7e243f04885af975a7d26bf80330fff86418001f"
                      "1c114071e66924eab6c611962d5087d159caacfa7dd94e17b192455dd6e31578fa8b1243b0822ad6a200539761e79e79"
                      "1edcc82ac2c1dcc6f0ad0d2eddd185b79a458bae0cdeb22d1cc02f3d23903b3f210c31aa2f03c87e889b44"));
  corpus.add("audio", "tokens", "<blk> 0\na 1\n\xe2\x96\x81 2\n");
  corpus.add("audio", "json", R"({"<pad>": 0, "a": 1})");
  corpus.add("audio", "transcripts", "file,text\na.wav,\"a, b\"\n");
}

void add_texts(const Corpus& corpus) {
  corpus.add("override", "kinds",
             R"({"a": {"calibrator": "percentile:99.9"}, "b": {"amax": 1.5}, "c": {"min": -1, "max": 2}})");
  corpus.add("override", "empty", "{}");
  corpus.add("config", "quantize",
             "[quantize]\ntarget=\"tensorrt\"\ndata=[\"a\", \"b\"]\nmax-drop=0.01\nthreads=2\noverwrite=true\n");
  corpus.add("config", "nested", "[cache.export]\ntable='t.dct'\n# comment\n[[quantize]]\n");
  corpus.add("text", "quoted", std::string("b\"\\n !a\\x41\"\0a A!\n", 18));
  corpus.add("text", "pieces",
             std::string(R"({"normalizer": {"type": "BertNormalizer"}, "pre_tokenizer": {"type": "BertPreTokenizer"}, )"
                         R"("model": {"type": "WordPiece", "vocab": {"[UNK]": 0, "a": 1, "##b": 2}}})") +
                 std::string("\0Ab a!", 6));
  corpus.add("text", "pairs",
             std::string(R"({"pre_tokenizer": {"type": "ByteLevel"}, "model": {"type": "BPE", "vocab": )"
                         R"({"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}})") +
                 std::string("\0abab", 5));
  corpus.add("text", "unigram",
             std::string(R"({"normalizer": {"type": "Precompiled", "precompiled_charsmap": "BAAAAAAAAAA="}, )"
                         R"("pre_tokenizer": {"type": "Metaspace", "replacement": "_"}, "model": {"type": "Unigram", )"
                         R"("unk_id": 0, "vocab": [["<unk>", 0], ["_a", -1.5]]}})") +
                 std::string("\0a b", 4));
  corpus.add("text", "lines", std::string("a\nab\n\\n\n<unk>\0abx\n", 18));
  corpus.add("text", "records", "{\"text\": \"ab\"}\n[1, 2, 3]\n\"c\"\n");
  corpus.add("labels", "two", "file,label\r\na.png,1\n\"b,\"\"c.png\",-2\n\n");
  corpus.add("boxes", "yolo", "0 0.5 0.5 0.25 0.125\n\n2 .1 .2 .05 .1\r\n");
  corpus.add("boxes", "voc",
             "<?xml version=\"1.0\"?><!-- a --><annotation><size><width>40</width><height>20</height></size>\n"
             "<object><name>a&amp;b</name><difficult>1</difficult><bndbox><xmin>1</xmin><ymin>2</ymin><xmax>30</xmax>"
             "<ymax>15</ymax></bndbox></object><empty/></annotation>");
  corpus.add("boxes", "coco",
             R"({"images": [{"id": 7, "file_name": "a.jpg", "width": 40, "height": 30}], "categories": [{"id": 2,
             "name": "b"}], "annotations": [{"image_id": 7, "category_id": 2, "bbox": [1.5, 2, 3, 4], "iscrowd": 1}]})");
  corpus.add("labels", "mark", "\xef\xbb\xbflabel,x,file\n3,,c.jpg\n");
  int count = 0;
  for (const char* line : {"imagenet", "unit,mean=.4914/.4822/.4465,std=.2470/.2435/.2616", "raw,layout=nhwc,color=bgr",
                           "imagenet,resize=8x8,crop=4", "letterbox=16x24,fill=0,div=255", "yolox",
                           "color=gray,resize=5", "resize=3x4,interpolation=cubic", "log-mel,bins=8",
                           "fbank,rate=8000,high=-400,scale=1", "raw-audio,normalize=yes,seconds=0.01"})
    corpus.add("preprocess", std::to_string(count++), line);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fputs("usage: make_corpus FOLDER\n", stderr), 2;
  try {
    const Corpus corpus(argv[1]);
    add_models(corpus);
    add_arrays(corpus);
    add_images(corpus);
    add_tables(corpus);
    add_engines(corpus);
    add_audio(corpus);
    add_texts(corpus);
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "make_corpus: %s\n", error.what()), 1;
  }
  return 0;
}
