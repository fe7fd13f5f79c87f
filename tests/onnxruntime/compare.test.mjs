// `detent compare` predicts what the written files score in ONNX Runtime.
import assert from 'node:assert/strict';
import test from 'node:test';
import { compared, only, quantized, runOver, writeSamples } from './detent.mjs';
import { runModel } from './engine.mjs';
import { levelOf } from './models.mjs';
import { readNpy } from './npy.mjs';
import { readModel } from './onnx_file.mjs';
import { decisionsOf } from './score.mjs';
import { selected } from './selection.mjs';

// Part of the evaluation set, so that it takes seconds: every n-th sample.
const strideOf = {
  shapes_unet: 4, occupancy3d: 4, cifar10_resnet18: 8, cifar10_efficientnet_b0: 8, imagenet_mobilenetv2: 4,
  'imagenet_squeezenet1.1': 4,
};
const calibrators = ['max', 'mse'];

for (const { model, options } of selected()) {
  for (const target of Object.keys(levelOf)) {
    test(`${model.name} for ${target}: predicted scores are the engine's`, options, async (t) => {
      const set = model.evaluation(strideOf[model.name] ?? 1);
      const report = await compared(model, set, target, calibrators);
      const samples = await writeSamples(model, set);
      const inputs = { [readModel(model.file).inputs[0].name]: readNpy(samples) };
      assert.deepEqual(report.variants.map((variant) => variant.calibrator), calibrators);
      for (const { calibrator, metrics } of report.variants) {
        const file = await quantized(model, target, calibrator);
        const theirs = only(await runModel(file, inputs, levelOf[target]));
        const [engine, executor] = [decisionsOf(theirs), decisionsOf(only(await runOver(file, samples)))];
        const changed = engine.reduce((count, value, index) => count + (value !== executor[index]), 0);
        // Decisions that rounding flips are right or wrong by chance: three standard deviations of their sum.
        const allowed = Math.max(3 * Math.sqrt(changed) / engine.length, 0.003);
        const [predicted, score] = [metrics[report.criterion], set.score(theirs)];
        t.diagnostic(`${calibrator}: predicted ${(100 * predicted).toFixed(2)} %, engine ` +
          `${(100 * score).toFixed(2)} %, ${changed} of ${engine.length} decisions differ`);
        assert.ok(Math.abs(predicted - score) <= allowed, `${calibrator}: ${predicted} is not ${score}`);
      }
    });
  }
}
