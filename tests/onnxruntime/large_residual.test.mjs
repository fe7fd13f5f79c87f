// What ruins raw FP16 conversions of transformers: the squares of a residual stream near 1000, in a LayerNorm written out.
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { castTo, freshFolder } from './detent.mjs';
import { runModel } from './engine.mjs';
import { floatNames, withLargeResidual } from './large_residual.mjs';
import { traceModel } from './node_cases.mjs';
import { shared } from './models.mjs';
import { everyNth, readNpy, sampleOf, widened } from './npy.mjs';
import { readModel } from './onnx_file.mjs';
import { rawHalf } from './rounded_models.mjs';
import { largest, sqnr } from './score.mjs';

const folder = join(shared, 'models/chars_gpt');
const skip = existsSync(folder) ? false : `${folder} is not there`;

// Columns [begin, begin + 256) of an int64 stack [N, 257].
function columns({ type, dims, data }, begin) {
  const [count, width] = dims;
  const out = new BigInt64Array(count * 256);
  for (let n = 0; n < count; ++n) out.set(data.subarray(n * width + begin, n * width + begin + 256), n * 256);
  return { type, dims: [count, 256], data: out };
}

// Share of symbols that are foretold. A row with a NaN foretells nothing.
function accuracy({ dims, data }, next) {
  const symbols = dims.at(-1);
  let hits = 0;
  next.data.forEach((truth, i) => {
    const row = data.subarray(i * symbols, (i + 1) * symbols);
    hits += row.every(Number.isFinite) && row.indexOf(row.reduce((a, b) => Math.max(a, b))) === Number(truth);
  });
  return hits / next.data.length;
}

test('a GPT with a residual stream near 1000: raw FP16 against ours', { skip }, async (t) => {
  const file = join(freshFolder(), 'large.onnx');
  writeFileSync(file, withLargeResidual(join(folder, 'model_opset17.onnx'), 25));
  const all = everyNth(readNpy(join(folder, 'eval_ids.npy')), 16);
  const [ids, next] = [columns(all, 0), columns(all, 1)];
  const run = async (model) => widened(Object.values(await runModel(model, { ids }, 'disabled'))[0]);
  const score = async (model) => accuracy(await run(model), next);

  const trace = await traceModel(file, { ids: sampleOf(ids, 0) });
  const stream = Math.max(...Object.entries(trace.values).filter(([name]) => /Add_[13]_output_0$/.test(name))
    .map(([, value]) => largest(value)));
  const model = { name: 'large residual', file, calibration: join(folder, 'calib_ids.npy') };
  const half = await castTo(model, 'fp16');
  const [before, float, raw, ours] = [await score(join(folder, 'model_opset17.onnx')), await score(file),
    await score(rawHalf(readModel(file), floatNames(trace.values))), await score(half)];
  const db = sqnr(await run(file), await run(half));
  t.diagnostic(`stream up to ${stream.toFixed(0)}; next symbol right: ${(100 * before).toFixed(2)} % as trained, ` +
    `${(100 * float).toFixed(2)} % scaled, ${(100 * raw).toFixed(2)} % in raw FP16, ${(100 * ours).toFixed(2)} % in ours ` +
    `(${db.toFixed(1)} dB)`);
  assert.ok(stream > 500, 'the stream is not large');
  assert.ok(Math.abs(float - before) < 0.001, 'the scaled network is another one');
  assert.ok(raw < 0.6 * float, 'raw FP16 is not ruined: the case shows nothing');
  assert.ok(ours > float - 0.003, `${ours} against ${float}`);
});
