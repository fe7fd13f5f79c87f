#include "detent/evaluation_options.h"
#include "cli/option_groups.h"

namespace detent::cli {

namespace {

constexpr const char* kEvaluationGroup = "Evaluation";

}  // namespace

Collect add_eval_options(CLI::App& app, DataOptions& eval, const DataOptions& data, Need need) {
  eval.option = "--eval";
  auto* source = app.add_option("--eval", eval.sources,
                                "[INPUT=]SRC: samples to judge on, in the forms and with the --preprocess of --data")
                     ->type_name("[INPUT=]SRC")
                     ->allow_extra_args(false)
                     ->group(kEvaluationGroup);
  if (need == Need::Required) source->required();
  app.add_option("--eval-limit", eval.limit, "Judge on N samples that lie evenly over --eval")
      ->type_name("N")
      ->check(count_from(1))
      ->group(kEvaluationGroup);
  eval.spread = true;
  return [&eval, &data] {
    eval.preprocess = data.preprocess;
    eval.batch_axes = data.batch_axes;
    eval.padding_masks = data.padding_masks;
  };
}

void add_next_token_flag(CLI::App& app, bool& next_token) {
  app.add_flag(
         "--next-token", next_token,
         "Language models: holds logits [N,S,V] against the token ids shifted by one. Gives the cross entropy in "
         "nats a token, perplexity and the share of tokens that are told. Ids of one more than the model's length "
         "score each position; of its own length all but the last")
      ->group(kEvaluationGroup);
}

Collect add_evaluation_options(CLI::App& app, EvaluationOptions& evaluation, const DataOptions& data, Need need) {
  Collect collect = add_eval_options(app, evaluation.data, data, need);
  app.add_option("--labels", evaluation.labels,
                 "Classes of the samples: columns file,label; files relative to --eval. Gives top-1 and top-5")
      ->type_name("FILE.csv")
      ->group(kEvaluationGroup);
  app.add_option(
         "--masks", evaluation.masks,
         "Folder of masks with the names of the images: pixel = class (255 of more than two classes: unlabelled). "
         "Gives the mean IoU")
      ->type_name("DIR")
      ->group(kEvaluationGroup);
  add_next_token_flag(app, evaluation.next_token);
  app.add_option("--metric-command", evaluation.metric_command,
                 "Your own metric: called with two folders of one .npy per output, the float model's and a "
                 "candidate's; prints one number, larger is better")
      ->type_name("CMD")
      ->group(kEvaluationGroup);
  return collect;
}

}  // namespace detent::cli
