#include <cstdio>
#include <memory>

#include "cli/command.h"
#include "detent/merge.h"
#include "report/text/text.h"

namespace detent::cli {

Action declare_merge(CLI::App& app) {
  auto options = std::make_shared<MergeTablesOptions>();
  app.add_option("TABLE", options->tables, "Calibration tables of one model, TABLE.partial of interrupted ones too")
      ->required();
  app.add_option("-o,--output", options->output, "Where their sum goes")->required()->type_name("TABLE.dct");
  app.add_flag("--mixed-isa", options->mixed_isa,
               "Accept tables from CPUs with different instruction sets, whose results differ in the last bits");
  app.add_flag("--overwrite", options->overwrite, "Replace the output if it exists");
  return [options](Environment&) {
    std::fputs(summary_text(merge_tables(*options)).c_str(), stdout);
    return 0;
  };
}

}  // namespace detent::cli
