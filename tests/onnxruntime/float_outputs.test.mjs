// The executor computes what ONNX Runtime computes: every shared model, unquantized, on real inputs.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import test from 'node:test';
import { runOver, writeSamples } from './detent.mjs';
import { runModel } from './engine.mjs';
import { floatModels } from './float_models.mjs';
import { readNpy, widened } from './npy.mjs';
import { readModel } from './onnx_file.mjs';
import { largest, within } from './score.mjs';

const fileName = (output) => output.replace(/[^A-Za-z0-9_.-]/g, '_');

for (const model of floatModels) {
  const skip = existsSync(model.file) ? false : `${model.file} is not there`;
  test(`${model.name}: FP32 outputs agree with ONNX Runtime`, { skip }, async (t) => {
    const stack = await writeSamples(model, model.samples());
    const ours = await runOver(model.file, stack);
    const inputs = { [readModel(model.file).inputs[0].name]: readNpy(stack) };
    const theirs = await runModel(model.file, inputs, 'all');
    assert.equal(Object.keys(ours).length, Object.keys(theirs).length, 'number of outputs');
    for (const [name, reference] of Object.entries(theirs)) {
      const [a, b] = [widened(reference), widened(ours[fileName(name)])];
      assert.equal(b.type, a.type, name);
      assert.deepEqual(b.dims, a.dims, name);
      // Relative to the largest magnitude of the output: sums cancel, so small elements carry the error of large terms.
      const bound = (model.tolerance ?? 1e-3) * largest(a);
      const { worst } = within(a, b, bound);
      t.diagnostic(`${name}: worst error ${(worst / largest(a)).toExponential(1)} of the largest value`);
      assert.ok(worst <= bound, `${name}: ${worst} > ${bound}`);
    }
  });
}
