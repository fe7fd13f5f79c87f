#include <cstdio>
#include <memory>

#include "cli/command.h"
#include "detent/detent.h"
#include "report/json.h"
#include "report/text.h"

namespace detent::cli {

namespace {

struct State {
  std::filesystem::path file;
  bool json = false;
};

}  // namespace

Action declare_inspect(CLI::App& app) {
  auto state = std::make_shared<State>();
  app.add_option("FILE", state->file, "ONNX model")->required();
  app.add_flag("--json", state->json, "Print one JSON document");
  return [state](Environment&) {
    const ModelReport report = inspect_model(state->file);
    std::fputs((state->json ? to_json(report) : to_text(report)).c_str(), stdout);
    return 0;
  };
}

}  // namespace detent::cli
