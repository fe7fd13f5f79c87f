// 16-bit codes in ONNX Runtime: QuantizeLinear and DequantizeLinear element by element, of ONNX's own domain and of
// com.microsoft, and A16W8 files of the models, which have to load, agree with detent and lose less than 8 bits.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { freshFolder, only, quantizedFromData, runOver, runWith, writeSamples } from './detent.mjs';
import { openSession, runModel, runOnce, runStack } from './engine.mjs';
import { readNpy, writeNpy } from './npy.mjs';
import { elemTypes, integer, message, readModel, tensorProto, valueInfo } from './onnx_file.mjs';
import { random } from './random_inputs.mjs';
import { sqnr } from './score.mjs';
import { selected } from './selection.mjs';

const typed = { uint16: Uint16Array, int16: Int16Array };
const zeroPoints = { uint16: [0, 1, 32768, 40001, 65535], int16: [0, 0, 0, 0, 0] };
const scales = Float32Array.of(1, 0.1, 2 ** -20, 3.7e-5, 146.25);

// Scales and zero points along axis 1; `q` are the codes, `back` their numbers.
function pairModel(type, domain, opset, count) {
  const n = scales.length;
  const axis = message(5, message(1, 'axis'), integer(3, 1), integer(20, 2));
  const node = (op, inputs, output) => message(1, ...inputs.map((name) => message(1, name)), message(2, output),
    message(3, output), message(4, op), axis, ...(domain ? [message(7, domain)] : []));
  const constant = (name, of, data) => message(5, tensorProto(name, { type: of, dims: [n], data }));
  const imports = [message(8, integer(2, opset)), ...(domain ? [message(8, message(1, domain), integer(2, 1))] : [])];
  return Buffer.concat([integer(1, 9), ...imports, message(7, node('QuantizeLinear', ['x', 'scale', 'zero'], 'q'),
    node('DequantizeLinear', ['q', 'scale', 'zero'], 'back'), message(2, 'wide'), constant('scale', 'float32', scales),
    constant('zero', type, typed[type].from(zeroPoints[type])), valueInfo(11, 'x', elemTypes.float32, [1, n, count]),
    valueInfo(12, 'q', elemTypes[type], [1, n, count]), valueInfo(12, 'back', elemTypes.float32, [1, n, count]))]);
}

// Halves between codes, numbers beyond the ends and numbers of any size, in steps.
function hardNumbers() {
  const halves = [...Array(400).keys()].map((i) => i * 333.5 - 66700);
  const positive = [0, 0.5, 1.5, 2.5, 32766.5, 32767, 32767.5, 32768, 65534.5, 65535, 65535.5, 65536, 1e9, 1e30, Infinity,
    ...random([2000]).data.map((x, index) => x * (index % 2 ? 70000 : 10))];
  return Float32Array.from([...halves, ...positive, ...positive.map((x) => -x)]);
}

for (const [domain, opset] of [['', 21], ['com.microsoft', 17]]) {
  for (const type of Object.keys(typed)) {
    test(`${type} codes of domain '${domain}', opset ${opset}, are the same, bit for bit`, async () => {
      const numbers = hardNumbers();
      const data = new Float32Array(scales.length * numbers.length);
      scales.forEach((scale, row) => numbers.forEach((x, i) => { data[row * numbers.length + i] = Math.fround(x * scale); }));
      const folder = freshFolder();
      const [file, path] = [join(folder, 'pair.onnx'), join(folder, 'x.npy')];
      writeFileSync(file, pairModel(type, domain, opset, numbers.length));
      const input = { type: 'float32', dims: [1, scales.length, numbers.length], data };
      writeNpy(path, input);
      const theirs = await runOnce(await openSession(file, 'disabled'), { x: input });
      const ours = await runWith(file, { x: path });
      for (const name of ['q', 'back']) {
        assert.equal(ours[name].type, theirs[name].type);
        let different = 0;
        theirs[name].data.forEach((x, i) => { different += !Object.is(x, ours[name].data[i]); });
        assert.equal(different, 0, `${different} elements of ${name} differ`);
      }
    });
  }
}

for (const { model, options } of selected()) {
  test(`${model.name}: A16W8 files load at every level, agree with detent and lose less than 8 bits`, options, async (t) => {
    const path = await writeSamples(model, model.evaluation(12));
    const inputs = { [readModel(model.file).inputs[0].name]: readNpy(path) };
    const reference = only(await runModel(model.file, inputs, 'disabled'));
    const found = {};
    for (const activation of ['uint8', 'uint16', 'int16']) {
      const file = await quantizedFromData(model, 'onnxruntime', 'mse', '--activation', activation);
      const session = await openSession(file, 'all');
      found[activation] = sqnr(reference, only(await runStack(session, inputs)));
      await session.release();
      await (await openSession(file, 'disabled')).release();
      const ours = sqnr(reference, only(await runOver(file, path)));
      t.diagnostic(`${model.name} ${activation}: ${found[activation].toFixed(2)} dB (detent run: ${ours.toFixed(2)} dB)`);
      if (activation !== 'uint8') assert.ok(Math.abs(found[activation] - ours) < 0.5, `SQNR ${found[activation]}, detent ${ours}`);
    }
    assert.ok(Math.min(found.uint16, found.int16) > found.uint8, JSON.stringify(found));
  });
}
