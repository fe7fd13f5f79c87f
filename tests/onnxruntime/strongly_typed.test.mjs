// 16-bit floats with and without INT8 around them: ONNX Runtime loads Detent's files, computes the same node by node,
// and no value becomes Inf or NaN that is a number in FP32.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import test from 'node:test';
import { narrowed, twinOf } from './rounded_models.mjs';
import { castTo, freshFolder, once, quantizedFromData, verify, writeInputs } from './detent.mjs';
import { openSession, runOnce } from './engine.mjs';
import { exportedModels, floatModels } from './float_models.mjs';
import { traceModel, writeCases } from './node_cases.mjs';
import { readNpy, sampleOf, widened } from './npy.mjs';
import { readModel, withAllOutputs } from './onnx_file.mjs';

const models = [...floatModels.filter(({ name }) => !name.includes('/')), ...exportedModels()];
const kinds = {
  cast: (model, type) => castTo(model, type),
  // max needs no measuring, and this test does not depend on the numbers of the scales.
  quantize: (model, type) => quantizedFromData(model, 'tensorrt:11', 'max', '--float-type', type),
};
// Both programs round a result once: half a unit in the last place each, 2^-11 of FP16 and 2^-8 of BFloat16. Sums that
// cancel differ by as much of their terms; ONNX Runtime's BatchNormalization rounds factor, product and sum to FP16.
const rounding = { fp16: ['--rtol', '1e-3', '--atol', '2e-3'], bf16: ['--rtol', '8e-3', '--atol', '8e-3'] };

const firstSample = async (model) => {
  const stacks = await writeInputs(model, model.samples());
  return Object.fromEntries(Object.entries(stacks).map(([name, path]) => [name, sampleOf(readNpy(path), 0)]));
};

// Every value of the file for the first sample, as ONNX Runtime computes it; BFloat16 by its twin in FP32.
async function traceTyped(file, feeds, type) {
  if (type === 'fp16') return traceModel(file, feeds);
  const { bytes, bfloat } = twinOf(file);
  const trace = await traceModel(bytes, feeds, (name) => !name.endsWith('__rounded'));
  const model = readModel(file);
  const values = Object.fromEntries(Object.entries(trace.values).map(([name, value]) =>
    [name, bfloat.has(name) ? narrowed(value) : value]));
  return { ...trace, model, values, exact: trace.values };
}

const wide = (value) => (value.type === 'float16' ? widened(value) : value);
const isFloat = ({ type }) => type === 'float32' || type === 'float16';
const finite = (value) => wide(value).data.every((number) => Number.isFinite(number));

// Names of the values of a float model that are not finite, with the type that the model has of them.
const infinite = (model) => once(['infinite', model.file], async () => {
  const { values } = await traceModel(model.file, await firstSample(model));
  return new Set(Object.entries(values).filter(([, value]) => isFloat(value) && !finite(value)).map(([name]) => name));
});

for (const model of models) {
  const skip = existsSync(model.file) ? false : `${model.file} is not there`;
  for (const [kind, make] of Object.entries(kinds)) {
    for (const type of ['fp16', 'bf16']) {
      test(`${model.name}, ${kind} ${type}: each node agrees, and nothing becomes infinite`, { skip }, async (t) => {
        const file = await make(model, type);
        if (type === 'fp16')
          for (const level of ['disabled', 'all']) await (await openSession(file, level)).release();
        const trace = await traceTyped(file, await firstSample(model), type);
        const { closing, text } = await verify(writeCases(trace, freshFolder()), ...rounding[type]);
        t.diagnostic(closing);
        assert.match(closing, /^[1-9]\d* passed, 0 failed, 0 unsupported/, text);
        const allowed = await infinite(model);
        const found = Object.entries(trace.exact ?? trace.values).filter(([name, value]) =>
          isFloat(value) && !name.endsWith('__exact') && !finite(value) && !allowed.has(name));
        assert.deepEqual(found.map(([name]) => name), []);
      });
    }
  }
}
