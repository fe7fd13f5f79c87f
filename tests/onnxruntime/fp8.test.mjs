// FP8 files for TensorRT in ONNX Runtime: QuantizeLinear and DequantizeLinear element by element, the sessions that
// load them, and their scores. ONNX Runtime computes their layers in float.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { freshFolder, only, quantizedFromData, runOver, runWith, writeSamples } from './detent.mjs';
import { openSession, runModel, runOnce, runStack } from './engine.mjs';
import { readNpy, writeNpy } from './npy.mjs';
import { integer, message, readModel, tensorProto, elemTypes, valueInfo } from './onnx_file.mjs';
import { random } from './random_inputs.mjs';
import { sqnr } from './score.mjs';
import { selected } from './selection.mjs';

const noQdqRules = { extra: { session: { disable_quant_qdq: '1' } } }; // the workaround of issue 22269
const type = 'float8e4m3fn';
const axis = (value) => message(5, message(1, 'axis'), integer(3, value), integer(20, 2));
const node = (op, inputs, output, ...attributes) => message(1, ...inputs.map((name) => message(1, name)), message(2, output),
  message(3, output), message(4, op), ...attributes);
const constant = (name, type, dims, data) => message(5, tensorProto(name, { type, dims, data }));
const graphOf = (...parts) => Buffer.concat([integer(1, 9), message(8, integer(2, 19)), message(7, ...parts, message(2, 'fp8'))]);

const scales = Float32Array.of(1, 0.1, 2 ** -20, 3.7e-5, 146.25, 1e-38);

// `codes` are the numbers of the codes, `back` those times the scale.
function pairModel(count) {
  const n = scales.length;
  return graphOf(node('QuantizeLinear', ['x', 'scale', 'zero'], 'q', axis(1)),
    node('DequantizeLinear', ['q', 'scale', 'zero'], 'back', axis(1)),
    node('DequantizeLinear', ['q', 'one', 'zero'], 'codes', axis(1)),
    constant('scale', 'float32', [n], scales), constant('one', 'float32', [n], new Float32Array(n).fill(1)),
    constant('zero', type, [n], new Uint8Array(n)), valueInfo(11, 'x', elemTypes.float32, [1, n, count]),
    valueInfo(12, 'back', elemTypes.float32, [1, n, count]), valueInfo(12, 'codes', elemTypes.float32, [1, n, count]));
}

// Every code, every tie between two codes and the floats beside it, numbers beyond the largest, and numbers of any
// size.
function hardNumbers() {
  const codes = [...Array(127).keys()].map((code) => (code < 8 ? code * 2 ** -9 : (8 + (code % 8)) * 2 ** ((code >> 3) - 10)));
  const ties = codes.slice(1).map((code, index) => (code + codes[index]) / 2);
  const positive = [...codes, ...ties, ...ties.flatMap((tie) => [tie * (1 + 2 ** -23), tie * (1 - 2 ** -24)]),
    ...random([4000]).data.map((x, index) => 2 ** (x * 12) * (index % 2 ? 1 : 0.01)), 464, 464.1, 480, 1e30, 2 ** -149, Infinity];
  return Float32Array.from([...positive, ...positive.map((x) => -x), NaN]);
}

test('FP8 pairs give the same numbers, bit for bit', async () => {
  const numbers = hardNumbers();
  const data = new Float32Array(scales.length * numbers.length);
  scales.forEach((scale, row) => numbers.forEach((x, i) => { data[row * numbers.length + i] = Math.fround(x * scale); }));
  const folder = freshFolder();
  const [file, path] = [join(folder, 'pair.onnx'), join(folder, 'x.npy')];
  writeFileSync(file, pairModel(numbers.length));
  const input = { type: 'float32', dims: [1, scales.length, numbers.length], data };
  writeNpy(path, input);
  const session = await openSession(file, 'disabled');
  const { back, codes } = await runOnce(session, { x: input });
  const own = await runWith(file, { x: path });
  for (const [name, reference] of Object.entries({ back, codes })) {
    let different = 0;
    reference.data.forEach((x, i) => { different += !Object.is(x, own[name].data[i]); });
    assert.equal(reference.data.length, own[name].data.length);
    assert.equal(different, 0, `${different} elements of ${name} differ`);
  }
});

// The statements of src/place/engines/onnxruntime/engine.cpp. If a release fails here, reconsider --type fp8 for it.
test('FP8 pairs around a MatMul load without the optimizations of pairs only', async () => {
  const model = graphOf(node('QuantizeLinear', ['x', 'scale', 'zero'], 'q', axis(0)),
    node('DequantizeLinear', ['q', 'scale', 'zero'], 'd', axis(0)), node('DequantizeLinear', ['w', 'scale', 'zero'], 'wd', axis(0)),
    node('MatMul', ['d', 'wd'], 'm'), node('QuantizeLinear', ['m', 'scale', 'zero'], 'mq', axis(0)),
    node('DequantizeLinear', ['mq', 'scale', 'zero'], 'y', axis(0)),
    constant('scale', 'float32', [], Float32Array.of(0.01)), constant('zero', type, [], new Uint8Array(1)),
    constant('w', type, [32, 32], new Uint8Array(1024).fill(0x38)), valueInfo(11, 'x', elemTypes.float32, [4, 32]),
    valueInfo(12, 'y', elemTypes.float32, [4, 32]));
  await assert.rejects(openSession(model, 'all'));
  for (const [level, extra] of [['all', noQdqRules], ['basic', {}], ['disabled', {}]]) {
    await (await openSession(model, level, extra)).release();
  }
});

// The reason for level basic: from extended on the zero point's byte 0 is read as the lowest code of UINT8.
test('a Relu in front of an FP8 pair is lost above level basic', async () => {
  const model = graphOf(node('Relu', ['x'], 'r'), node('QuantizeLinear', ['r', 'scale', 'zero'], 'q', axis(0)),
    node('DequantizeLinear', ['q', 'scale', 'zero'], 'y', axis(0)), constant('scale', 'float32', [], Float32Array.of(1)),
    constant('zero', type, [], new Uint8Array(1)), valueInfo(11, 'x', elemTypes.float32, [2]), valueInfo(12, 'y', elemTypes.float32, [2]));
  const run = async (level) => {
    const session = await openSession(model, level, noQdqRules);
    return [...only(await runOnce(session, { x: { type: 'float32', dims: [2], data: Float32Array.of(-2, 3) } })).data];
  };
  assert.deepEqual(await run('basic'), [0, 3]);
  assert.deepEqual(await run('extended'), [-2, 3]);
});

// Half a point is the aim. This one misses it by one image of 400, at 32 dB; no more is allowed.
const missed = { 'imagenet_squeezenet1.1': 0.0075 };

for (const { model, options } of selected()) {
  test(`${model.name}: FP8 files load, agree with detent and keep the score`, options, async (t) => {
    const set = model.evaluation(1);
    const path = await writeSamples(model, set);
    const inputs = { [readModel(model.file).inputs[0].name]: readNpy(path) };
    const reference = only(await runModel(model.file, inputs, 'disabled'));
    const fp32 = set.score(reference);
    const scores = [];
    for (const calibrator of ['max', 'mse']) {
      const file = await quantizedFromData(model, 'tensorrt', calibrator, '--type', 'fp8');
      await (await openSession(file, 'basic')).release();
      const session = await openSession(file, 'basic', noQdqRules);
      const output = only(await runStack(session, inputs));
      await session.release();
      const [theirs, ours] = [sqnr(reference, output), sqnr(reference, only(await runOver(file, path)))];
      scores.push(set.score(output));
      t.diagnostic(`${model.name} ${calibrator}: FP32 ${(100 * fp32).toFixed(2)}, FP8 ${(100 * scores.at(-1)).toFixed(2)}, `
        + `${theirs.toFixed(2)} dB (detent run: ${ours.toFixed(2)} dB)`);
      // Sums in another order flip single codes, some 3 % of a number each; the noise as a whole stays.
      assert.ok(Math.abs(theirs - ours) < 0.5, `SQNR ${theirs} in ONNX Runtime, ${ours} in detent`);
    }
    assert.ok(Math.max(...scores) >= fp32 - (missed[model.name] ?? 0.005) - 1e-9, `FP32 ${fp32}, FP8 ${scores}`);
  });
}
