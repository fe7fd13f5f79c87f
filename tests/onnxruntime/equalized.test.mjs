// Every model and export, equalized by every family: lint has no finding, the file loads in ONNX Runtime for its
// target, is still the same network, and computes there what Detent computes.
import assert from 'node:assert/strict';
import test from 'node:test';
import { detent, once, quantizedFromData, runWith, writeInputs } from './detent.mjs';
import { openSession, runModel } from './engine.mjs';
import { levelOf } from './models.mjs';
import { readNpy, widened } from './npy.mjs';
import { sqnr } from './score.mjs';
import { selectedOfAll } from './selection.mjs';

const few = ['--limit', '4'];
const equalize = ['--equalize', 'gate,relu,linear,norm,act,product,value'];
const inFile = (output) => output.replace(/[^A-Za-z0-9_.-]/g, '_');

// Sums in another order differ by 1e-6 of their largest terms; 1e-4 of the outputs (float_outputs.test.mjs allows
// 1e-3).
const roundingOnly = 80;
// Factors that do not cancel make another network, whose outputs are as far from the old ones as these are large: 0
// dB. The bound is half of that power; the least here is 6 dB, coco_yolox_nano by its extremes.
const anotherNetwork = 3;

for (const { model, options } of selectedOfAll()) {
  for (const target of ['tensorrt', 'onnxruntime']) {
    test(`${model.name} for ${target}, equalized`, options, async (t) => {
      const file = await quantizedFromData(model, target, 'max', ...equalize, ...few);
      await detent('lint', file, '--target', target, '--strict'); // throws unless it exits 0
      await (await openSession(file, levelOf[target])).release();

      const paths = await writeInputs(model, model.samples?.() ?? model.evaluation(1), ...few);
      const inputs = Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, readNpy(path)]));
      const ours = await runWith(file, paths);
      const theirs = await runModel(file, inputs, 'disabled');
      const float = await once(['float', model.file], () => runModel(model.file, inputs, 'disabled'));
      assert.equal(Object.keys(ours).length, Object.keys(theirs).length, 'number of outputs');
      for (const [name, output] of Object.entries(theirs)) {
        const [a, b] = [widened(output), widened(ours[inFile(name)])];
        assert.deepEqual([b.type, b.dims], [a.type, a.dims], name);
        const [apart, lost] = [sqnr(a, b), sqnr(widened(float[name]), a)];
        t.diagnostic(`${name}: SQNR between the two ${apart.toFixed(1)} dB, of the quantization ${lost.toFixed(1)} dB`);
        assert.ok(lost >= anotherNetwork, `${name}: ${lost} dB lost`);
        // Other roundings in a deep network make noise of the quantization's kind. If all were independent in the two
        // programs, their outputs would differ by the noise of both: twice the power, 3 dB.
        const bound = Math.min(lost - 3, roundingOnly);
        assert.ok(apart >= bound, `${name}: ${apart} dB apart, ${lost} dB lost`);
      }
    });
  }
}
