// write_model FILE.onnx: writes the model whose ONNX text stands on stdin, for the tests of this folder.

#include <cstdio>
#include <exception>
#include <iostream>
#include <iterator>
#include <string>

#include "model/model.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: write_model FILE.onnx <TEXT\n", stderr);
    return 2;
  }
  try {
    const std::string text{std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
    detent::write_model(detent::parse_model_text(text), argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
