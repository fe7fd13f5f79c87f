// Raw FP16 conversions of transformers fail at the squares of a residual stream near 1000, in a LayerNorm written
// out.
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { castTo, freshFolder } from './detent.mjs';
import { runModel } from './engine.mjs';
import { charsGpt, splitSequences } from './language_models.mjs';
import { floatNames, withLargeResidual } from './large_residual.mjs';
import { traceModel } from './node_cases.mjs';
import { everyNth, readNpy, sampleOf, widened } from './npy.mjs';
import { readModel } from './onnx_file.mjs';
import { rawHalf } from './rounded_models.mjs';
import { largest, nextTokens, sqnr } from './score.mjs';

const skip = existsSync(charsGpt.file) ? false : `${charsGpt.file} is not there`;

test('a GPT with a residual stream near 1000: raw FP16 against ours', { skip }, async (t) => {
  const file = join(freshFolder(), 'large.onnx');
  writeFileSync(file, withLargeResidual(charsGpt.file, 25));
  const { ids, next } = splitSequences(everyNth(readNpy(charsGpt.evaluation), 16));
  const run = async (model) => widened(Object.values(await runModel(model, { ids }, 'disabled'))[0]);
  const score = async (model) => nextTokens(await run(model), next).right;

  const trace = await traceModel(file, { ids: sampleOf(ids, 0) });
  const stream = Math.max(...Object.entries(trace.values).filter(([name]) => /Add_[13]_output_0$/.test(name))
    .map(([, value]) => largest(value)));
  const model = { name: 'large residual', file, calibration: charsGpt.calibration };
  const half = await castTo(model, 'fp16');
  const [before, float, raw, ours] = [await score(charsGpt.file), await score(file),
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
