// A gate for a CI job: a quantized model must have no finding of level error, and enough of its work must run in
// INT8.
//   lint_gate MODEL.onnx TARGET LEAST_SHARE        e.g. lint_gate model.int8.onnx tensorrt 0.95
// Exit code 0: the model passes. 1: it fails, with the reason. Others are detent's codes.
#include <detent/base/error.h>
#include <detent/lint.h>

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: lint_gate MODEL.onnx TARGET LEAST_SHARE\n", stderr);
    return 2;
  }
  try {
    detent::LintOptions options;
    options.model = argv[1];
    options.target = argv[2];
    const detent::LintReport report = detent::lint_model(options);
    int errors = 0;
    for (const detent::LintReport::Finding& finding : report.findings) {
      if (finding.level != "error") continue;
      ++errors;
      std::printf("%s at '%s': %s\n  cure: %s\n", finding.id.c_str(), finding.node.c_str(), finding.message.c_str(),
                  finding.cure.c_str());
    }
    const detent::CoverageReport& coverage = report.plan.coverage;
    const double share =
        coverage.layers == 0 ? 0.0 : static_cast<double>(coverage.int8_layers) / static_cast<double>(coverage.layers);
    std::printf("%d errors, %.0f %% of the layers with weights in INT8\n", errors, 100 * share);
    return errors == 0 && share >= std::atof(argv[3]) ? 0 : 1;
  } catch (const detent::Error& error) {
    std::fprintf(stderr, "%s\n%s\n", error.what(), error.hint().c_str());
    return static_cast<int>(error.code());
  }
}
