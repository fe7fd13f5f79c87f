#include <cstdio>
#include <memory>

#include "cli/command.h"
#include "detent/error.h"
#include "detent/inspect.h"
#include "report/json/json.h"
#include "report/text/text.h"

namespace detent::cli {

namespace {

struct State {
  std::filesystem::path file;
  std::string value;
  bool json = false;
};

template <class Report>
void print(const Report& report, bool json) {
  std::fputs((json ? to_json(report) : to_text(report)).c_str(), stdout);
}

int inspect(const State& state) {
  if (!is_table(state.file)) {
    if (!state.value.empty())
      throw Error(ErrorCode::Usage, "--value: " + state.file.string() + " is not a calibration table");
    print(inspect_model(state.file), state.json);
  } else if (state.value.empty()) {
    print(inspect_table(state.file), state.json);
  } else {
    print(inspect_table_value(state.file, state.value), state.json);
  }
  return 0;
}

}  // namespace

Action declare_inspect(CLI::App& app) {
  auto state = std::make_shared<State>();
  app.add_option("FILE", state->file, "ONNX model or calibration table")->required();
  app.add_option("--value", state->value, "Show how this value of a table is distributed")->type_name("NAME");
  app.add_flag("--json", state->json, "Print one JSON document");
  return [state](Environment&) { return inspect(*state); };
}

}  // namespace detent::cli
