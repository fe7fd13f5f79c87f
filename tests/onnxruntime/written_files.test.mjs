// Every model, for every target and type of floats: ONNX Runtime loads Detent's file at the lowest and the highest
// level of optimization, runs a sample, and gives numbers. The last test counts the files that its CPU cannot run.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';
import { detent, freshFolder, reportOf } from './detent.mjs';
import { openSession, runOnce } from './engine.mjs';
import { widened } from './npy.mjs';
import { readModel } from './onnx_file.mjs';
import { selectedToWrite } from './written_models.mjs';

const targets = ['tensorrt:8.6', 'tensorrt:10.8', 'tensorrt:10.13', 'tensorrt:11', 'onnxruntime', 'openvino', 'qnn'];
const types = ['fp32', 'fp16', 'bf16'];
// HTP runs no floats, so there is nothing to convert.
const typesOf = (target) => ({qnn: ['fp32'], openvino: ['fp32', 'fp16']}[target] ?? types);

const isFinite = (value) => !['float32', 'float64', 'float16'].includes(value.type) ||
  widened(value).data.every((number) => Number.isFinite(number));

// Returns the outputs at a level that are not finite; throws for a bad session.
async function infiniteOutputs(file, level, feeds) {
  const session = await openSession(file, level);
  try {
    return Object.entries(await runOnce(session, feeds)).filter(([, value]) => !isFinite(value)).map(([name]) => name);
  } finally {
    await session.release();
  }
}

const ran = 'ran', noKernels = 'types accepted, no kernels';
const table = [];
let expectedRuns = 0;
const half = 10; // TensorProto.FLOAT16

// ONNX Runtime has checked every type and shape of the graph before it looks for kernels, and its CPU has hardly any
// for BFloat16.
const noKernel = /Could not find an implementation for/;

for (const { model, options } of selectedToWrite()) {
  test(model.name, options, async (t) => {
    // A model of halves stays one, whatever type is asked for.
    const isHalf = readModel(model.file).inputs.some((input) => input.elemType === half);
    const runs = (type) => type !== 'bf16' || isHalf;
    expectedRuns += targets.flatMap(typesOf).filter(runs).length;
    const calibration = join(freshFolder(), 'table.dct');
    await detent('calibrate', model.file, '-o', calibration, '--float-type', 'fp16', '--quiet', ...model.data);
    const feeds = await model.feeds();
    const expected = await infiniteOutputs(model.file, 'disabled', feeds);
    for (const target of targets)
      for (const type of typesOf(target))
        await t.test(`${target} ${type}`, async () => {
          const file = join(freshFolder(), 'model.onnx');
          await detent('quantize', model.file, '--table', calibration, '--calibrator', 'max', '--target', target,
            '--float-type', type, '--accept-broken', '--quiet', '-o', file, `--json=${reportOf(file)}`);
          if (!runs(type)) {
            await assert.rejects(openSession(file, 'disabled'), noKernel);
            table.push([model.name, target, type, noKernels]);
            return;
          }
          for (const level of ['disabled', 'all']) assert.deepEqual(await infiniteOutputs(file, level, feeds), expected, level);
          table.push([model.name, target, type, ran]);
        });
  });
}

test('the table: every file ran except BFloat16, for which the CPU has no kernels', (t) => {
  for (const row of table) t.diagnostic(row.join(' | '));
  const count = (what) => table.filter((row) => row[3] === what).length;
  assert.deepEqual([count(ran), table.length - count(ran)], [expectedRuns, count(noKernels)]);
});
