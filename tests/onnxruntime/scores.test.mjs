// The models still do their task: FP32 by `detent run`, quantized files in ONNX Runtime. Whole tables: scores.mjs.
import assert from 'node:assert/strict';
import test from 'node:test';
import { once, only, quantized, runOver, writeSamples } from './detent.mjs';
import { runModel } from './engine.mjs';
import { calibrators, levelOf } from './models.mjs';
import { readNpy } from './npy.mjs';
import { readModel } from './onnx_file.mjs';
import { selected } from './selection.mjs';

// Part of the evaluation set that a quick test looks at: every n-th sample, so that all classes are there.
const strideOf = {
  occupancy3d: 3, cifar10_resnet18: 4, cifar10_efficientnet_b0: 10, imagenet_mobilenetv2: 4, 'imagenet_squeezenet1.1': 4,
};

// Models that keep their score with every calibrator, with the fraction that they may lose here: the bound of the
// whole set (half a point) plus two standard deviations of a part. Of 500 images some 2 % change sides, sqrt(.02/500)
// = .6 points each. Of 32 occupancy samples, 8 million decisions, the whole set's bound (models.mjs: .9785 - .975).
// The segmentation sets are used whole.
const mayLose = { sample: 0.0034, occupancy3d: 0.0035, cifar10_resnet18: 0.017 };

// Returns the float model's output on a stack of samples from `detent run`; run once for each stack.
const floatOutput = (model, samples) => once(['float', model.file, samples], async () => only(await runOver(model.file, samples)));

const percent = (fraction) => (100 * fraction).toFixed(2);

for (const { model, options } of selected()) {
  test(`${model.name}: FP32 score of detent run`, options, async (t) => {
    const set = model.evaluation(1);
    const samples = await writeSamples(model, set);
    const ours = set.score(await floatOutput(model, samples));
    t.diagnostic(`${model.metric} ${percent(ours)} %, known ${model.fp32 ? percent(model.fp32) : '-'} %`);
    if (model.fp32) {
      assert.ok(Math.abs(ours - model.fp32) <= 0.0025, `${ours} is not within a quarter point of ${model.fp32}`);
    } else {
      const inputs = { [readModel(model.file).inputs[0].name]: readNpy(samples) };
      const theirs = set.score(only(await runModel(model.file, inputs, 'disabled')));
      assert.ok(Math.abs(ours - theirs) <= 1e-4, `${ours} here, ${theirs} in ONNX Runtime`);
    }
  });

  for (const target of Object.keys(levelOf)) {
    test(`${model.name} for ${target}: quantized score in ONNX Runtime`, options, async (t) => {
      const set = model.evaluation(strideOf[model.name] ?? 1);
      const samples = await writeSamples(model, set);
      const fp32 = set.score(await floatOutput(model, samples));
      const inputs = { [readModel(model.file).inputs[0].name]: readNpy(samples) };
      const strict = model.atLeast !== undefined || mayLose[model.name] !== undefined;
      const bound = mayLose[model.name] === undefined ? model.atLeast : fp32 - mayLose[model.name];
      for (const calibrator of strict ? calibrators : ['entropy']) {
        const file = await quantized(model, target, calibrator);
        const score = set.score(only(await runModel(file, inputs, levelOf[target])));
        t.diagnostic(`${calibrator}: ${model.metric} ${percent(score)} %, FP32 ${percent(fp32)} %`);
        if (strict) assert.ok(score >= bound, `${calibrator}: ${score} is below ${bound}`);
      }
    });
  }
}
