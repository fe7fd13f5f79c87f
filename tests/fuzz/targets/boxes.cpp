// Boxes of objects: COCO's annotations, and folders with a file of YOLO's or of Pascal VOC's.
#include "datasets/images/label_folder.h"
#include "fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace detent;
  fuzz::expect_documented([&] { (void)read_coco(fuzz::as_file(data, size, "boxes.json")); });
  for (const char* name : {"boxes.txt", "boxes.xml"}) {
    const auto& path = fuzz::as_file(data, size, name);
    fuzz::expect_documented([&] { (void)read_label_folder(path.parent_path(), 3); });
    std::filesystem::remove(path);
  }
  return 0;
}
