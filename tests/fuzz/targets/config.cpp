// --config: the TOML reader, and CLI11's reading of the items into options of each kind, as the program declares
// them.
#include <sstream>
#include <string>
#include <vector>

#include "cli/config_reader.h"
#include "fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace detent;
  const auto& path = fuzz::as_file(data, size, "config.toml");
  fuzz::expect_documented([&] {
    CLI::App app("fuzz", "detent");
    app.set_config("--config", path.string());
    app.config_formatter(std::make_shared<cli::ConfigReader>());
    app.allow_config_extras(CLI::config_extras_mode::error);
    CLI::App& quantize = *app.add_subcommand("quantize");
    std::string text;
    std::vector<std::string> list;
    double number = 0;
    int64_t whole = 0;
    bool flag = false;
    quantize.add_option("--target", text)->check(CLI::IsMember({"tensorrt", "onnxruntime"}));
    quantize.add_option("--data", list);
    quantize.add_option("--max-drop", number);
    quantize.add_option("--threads", whole);
    quantize.add_flag("--overwrite", flag);
    app.add_subcommand("cache")->add_subcommand("export")->add_option("--table", text);
    try {
      app.parse(std::vector<std::string>{"quantize"});
    } catch (const CLI::ParseError&) {  // main.cpp makes it exit code 2
    }
  });
  return 0;
}
