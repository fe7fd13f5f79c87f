// Detent and ONNX Runtime compute the same from a file that Detent wrote: node by node, and end to end.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { freshFolder, once, only, quantized, quantizedFromData, runOver, runWith, verify, writeSamples } from './detent.mjs';
import { runModel } from './engine.mjs';
import { traceModel, writeCases, writeQuantizers } from './node_cases.mjs';
import { readNpy, sampleOf } from './npy.mjs';
import { readModel } from './onnx_file.mjs';
import { changedArgmax, largest, sqnr, within } from './score.mjs';
import { selected } from './selection.mjs';

const targets = ['tensorrt', 'onnxruntime'];

// Deep networks turn noise of 1e-7 into flipped steps, so only these are tested end to end: 99 % of the outputs'
// elements within one step. shapes_unet for tensorrt does not reach it, as no two float implementations do: oneDNN's
// AVX-512 and AVX2 kernels agree on 98.7 % (max) and 92.9 % (entropy) of its elements (src/decisions/build.md).
const within1Step = { sample: 0.98, shapes_unet: 0.99, occupancy3d: 0.99, cifar10_resnet18: 0.99 };
const growing = { 'shapes_unet tensorrt': 0.9, 'sample tensorrt': 0.9 };

// Every n-th sample of the evaluation set: few for large networks, all where the share within one step varies much
// from sample to sample.
const strides = { sample: 1, shapes_unet: 1, cifar10_resnet18: 63, cifar10_efficientnet_b0: 63 };

// [path, stack]
async function fewSamples(model) {
  const stride = strides[model.name] ?? 12;
  const path = await writeSamples(model, model.evaluation(stride));
  return [path, readNpy(path)];
}

// Returns every value of the quantized model for one sample from ONNX Runtime; once for each file.
const traceSample = (file, model) => once(['trace', file], async () => {
  const [, stack] = await fewSamples(model);
  return traceModel(file, { [readModel(file).inputs[0].name]: sampleOf(stack, 0) });
});

for (const { model, options } of selected()) {
  test(`${model.name}: the data and their table give the same model`, options, async () => {
    const [fromData, fromTable] = [await quantizedFromData(model, 'onnxruntime', 'entropy'), await quantized(model, 'onnxruntime')];
    assert.ok(readFileSync(fromData).equals(readFileSync(fromTable)), 'the bytes differ');
  });

  for (const target of targets) {
    test(`${model.name} for ${target}: each node agrees when fed with ONNX Runtime's tensors`, options, async (t) => {
      const file = await quantized(model, target);
      const trace = await traceSample(file, model);
      // 1e-4 of the value: sums of some thousand products in another order differ by about 1e-6.
      const { closing, text } = await verify(writeCases(trace, freshFolder()), '--rtol', '1e-4');
      t.diagnostic(closing);
      assert.match(closing, /^[1-9]\d* passed, 0 failed, 0 unsupported/, text);
    });

    test(`${model.name} for ${target}: QuantizeLinear agrees`, options, async (t) => {
      const file = await quantized(model, target);
      const trace = await traceSample(file, model);
      const { file: quantizers, stacks, expected } = writeQuantizers(trace, freshFolder());
      const found = await runWith(quantizers, stacks);
      let [equal, count, worst] = [0, 0, 0];
      for (const [name, reference] of Object.entries(expected)) {
        assert.equal(found[name].type, reference.type, name);
        assert.deepEqual(found[name].dims, reference.dims, name);
        const compared = within(reference, found[name], 0);
        equal += compared.share * reference.data.length;
        count += reference.data.length;
        worst = Math.max(worst, compared.worst);
      }
      t.diagnostic(`${Object.keys(expected).length} nodes, ${count} elements, ${count - Math.round(equal)} differ`);
      // A value in the middle between two steps may go either way: x / scale and x * (1 / scale) round differently.
      assert.ok(worst <= 1, `a step of ${worst}`);
      assert.ok(equal >= 0.999 * count, `${equal} of ${count} equal`);
    });

    test(`${model.name} for ${target}: the whole network agrees`, options, async (t) => {
      const file = await quantized(model, target);
      const [path, stack] = await fewSamples(model);
      const ours = only(await runOver(file, path));
      const theirs = only(await runModel(file, { [readModel(file).inputs[0].name]: stack }, 'disabled'));
      assert.deepEqual(ours.dims, theirs.dims);
      const { share, worst } = within(theirs, ours, largest(theirs) / 127);
      t.diagnostic(`${theirs.dims[0]} samples: ${(100 * share).toFixed(3)} % within one step, worst ` +
        `${(worst * 127 / largest(theirs)).toFixed(2)} steps, changed argmax ` +
        `${(100 * changedArgmax(theirs, ours)).toFixed(3)} %, SQNR ${sqnr(theirs, ours).toFixed(1)} dB`);
      const bound = growing[`${model.name} ${target}`] ?? within1Step[model.name] ?? 0;
      assert.ok(share >= bound, `only ${share} within one step`);
    });
  }
}
