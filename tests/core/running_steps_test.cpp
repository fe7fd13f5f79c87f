#include "core/running_steps.h"

#include <gmock/gmock.h>

namespace detent {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

std::string numbered(size_t step) { return "node 'n" + std::to_string(step) + "' (MatMul)"; }

class RunningSteps : public testing::Test {
 protected:
  RunningSteps() { watch_steps(); }
};

TEST_F(RunningSteps, ListsTheStepThatBeganLastAndItsOutput) {
  StepTeller run(numbered);
  EXPECT_THAT(running_steps(), IsEmpty()) << "no step has begun";
  run.begin(3, 0, 7);
  ASSERT_EQ(running_steps().size(), 1U);
  EXPECT_EQ(running_steps()[0].node, "node 'n3' (MatMul)");
  EXPECT_FALSE(running_steps()[0].output);
  EXPECT_EQ(running_steps()[0].multiply_adds, 0) << "the size of its output is not known yet";
  run.output(Shape{5, 2});
  EXPECT_EQ(running_steps()[0].output, (Shape{5, 2}));
  EXPECT_EQ(running_steps()[0].multiply_adds, 7 * 10);
  run.begin(4, 30, 0);
  EXPECT_EQ(running_steps()[0].node, "node 'n4' (MatMul)");
  EXPECT_FALSE(running_steps()[0].output) << "it is the step before that wrote 5x2";
  EXPECT_EQ(running_steps()[0].multiply_adds, 30);
}

TEST_F(RunningSteps, ForgetsARunThatEnded) {
  {
    StepTeller run(numbered);
    run.begin(0, 0, 0);
  }
  EXPECT_THAT(running_steps(), IsEmpty());
}

TEST_F(RunningSteps, KnowsWhatIsInsideAnotherStep) {
  StepTeller loop([](size_t) { return "node 'l' (Loop)"; });
  loop.begin(0, 0, 0);
  StepTeller body(numbered);
  body.begin(1, 0, 0);
  const std::vector<RunningStep> steps = running_steps();
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_FALSE(steps[0].outer);
  EXPECT_EQ(steps[1].outer, 0U);
}

TEST(SlowestStep, IsTheInnermostThatIsSlowOfTheLongest) {
  const std::vector<RunningStep> steps{{.node = "short", .seconds = 4},
                                       {.node = "loop", .seconds = 9},
                                       {.node = "body", .seconds = 5, .outer = 1},
                                       {.node = "other", .seconds = 8, .outer = 0}};
  EXPECT_EQ(slowest_step(steps, 3)->node, "body");
  EXPECT_EQ(slowest_step(steps, 6)->node, "loop") << "no step of its body is slow by itself";
  EXPECT_EQ(slowest_step(steps, 10), nullptr);
  EXPECT_EQ(slowest_step({}, 0), nullptr);
}

TEST(SlowStepText, NamesNodeShapeAndTime) {
  RunningStep step{.node = "node 'p' (MatMul)", .seconds = 12.4};
  EXPECT_EQ(slow_step_text(step), "node 'p' (MatMul) has been running for 12 s");
  step.output = Shape{70, 80};
  EXPECT_EQ(slow_step_text(step), "node 'p' (MatMul, output 70x80) has been running for 12 s");
}

// An hour at 1e10 operations a second is 1.8e13 multiply-adds.
TEST(AbsurdWorkText, BeginsBeyondAnHour) {
  EXPECT_EQ(absurd_work_text({.node = "node 'p' (Conv)", .multiply_adds = 1.8e13}), "");
  EXPECT_THAT(absurd_work_text({.node = "node 'p' (Conv)", .multiply_adds = 2.7e13}),
              HasSubstr("takes 2.7e+13 multiply-adds for one sample, about 1.5 hours"));
  EXPECT_THAT(absurd_work_text({.node = "node 'p' (Conv)", .multiply_adds = 4.32e15}), HasSubstr("about 10 days"));
  EXPECT_EQ(absurd_work_text({.node = "node 'p' (Foo)"}), "") << "nothing is known of it";
}

}  // namespace
}  // namespace detent
