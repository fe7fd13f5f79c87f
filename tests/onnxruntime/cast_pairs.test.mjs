// Files with pairs that were cast: ONNX Runtime loads them at the lowest and the highest level, computes what it
// computed from the file before, and still runs the layers between UINT8 pairs with integers.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';
import { detent, freshFolder } from './detent.mjs';
import { openSession, runOnce } from './engine.mjs';
import { widened } from './npy.mjs';
import { readModel } from './onnx_file.mjs';
import { sqnr } from './score.mjs';
import { selectedToWrite } from './written_models.mjs';

const forms = [['tensorrt', []], ['tensorrt:8.6', ['--format', 'weights=fp32']], ['onnxruntime', []]];
const wide = (value) => (value.type === 'float16' ? widened(value) : value);

// Returns the outputs of a sample, and the number of integer layers.
async function run(file, level, feeds) {
  const optimizedModelFilePath = join(freshFolder(), 'optimized.onnx');
  const session = await openSession(file, level, { optimizedModelFilePath });
  try {
    const outputs = await runOnce(session, feeds);
    const integers = readModel(optimizedModelFilePath).nodes
      .filter(({ op }) => /^(QLinear(Conv|MatMul)|QGemm|MatMulIntegerToFloat)$/.test(op)).length;
    return { outputs, integers };
  } finally {
    await session.release();
  }
}

for (const { model, options } of selectedToWrite()) {
  test(model.name, options, async (t) => {
    const feeds = await model.feeds();
    for (const [target, more] of forms)
      for (const data of [true, false])
        await t.test(`${target} ${more.join(' ')} ${data ? 'with' : 'without'} data`, async (t) => {
          const [before, after] = [join(freshFolder(), 'pairs.onnx'), join(freshFolder(), 'cast.onnx')];
          await detent('quantize', model.file, '-o', before, '--quiet', '--accept-broken', '--accuracy', 'fast',
            '--calibrator', 'max', '--target', target, '--float-type', 'fp32', ...more, ...model.data);
          await detent('cast', before, '-o', after, '--quiet', '--float-type', 'fp16', ...(data ? model.data : []));
          for (const level of ['disabled', 'all']) {
            const [old, cast] = [await run(before, level, feeds), await run(after, level, feeds)];
            if (target === 'onnxruntime') assert.equal(cast.integers, old.integers, `integer layers at level ${level}`);
            for (const [name, value] of Object.entries(cast.outputs)) {
              assert.ok(wide(value).data.every((number) => Number.isFinite(Number(number))), `${name} at level ${level}`);
              if (value.type !== 'float32' || old.outputs[name].type !== 'float32') continue;
              const db = sqnr(old.outputs[name], value);
              t.diagnostic(`${name}, level ${level}: ${db.toFixed(1)} dB`);
              assert.ok(db > 12, `${name} at level ${level}: ${db} dB`);
            }
          }
        });
  });
}
