// node judge.mjs PROGRAM SAMPLE_FOLDER FOLDER: quantizes the bundled sample for the browser and runs it in ONNX Runtime
// Web (WebAssembly, one thread). Exits 1 if the file does not load, computes other than `detent run`, or is slower than
// float. Exits 77 where onnxruntime-web is not installed: tests/engines/install.sh web, or `npm install` in the folder
// that DETENT_WEB names. CTest: run_test.sh web web/judge.mjs ...
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';
import v8 from 'node:v8';

// V8 would begin with its baseline compiler, and go over to the optimizing one in the midst of the measured runs.
for (const flag of ['--no-liftoff', '--wasm-lazy-compilation']) v8.setFlagsFromString(flag);

const [program, sample, folder] = process.argv.slice(2);
const home = process.env.DETENT_WEB || path.dirname(new URL(import.meta.url).pathname);
let ort;
try {
  ort = createRequire(`${home}/x.js`)('onnxruntime-web');
} catch (error) {
  console.log(`SKIPPED judge.mjs: ${String(error.message).split('\n')[0]} (tests/engines/install.sh web)`);
  process.exit(77);
}
ort.env.wasm.numThreads = 1;
ort.env.logLevel = 'error';
fs.mkdirSync(folder, { recursive: true });
const model = `${sample}/model_opset13.onnx`;
const data = ['--data', `${sample}/calib`, '--preprocess', 'imagenet,resize=128x128,crop=128', '--quiet'];
const detent = (...words) => execFileSync(program, words, { encoding: 'utf8' });

// NumPy's format: a header that ends at a multiple of 64 bytes, then numbers.
function readArray(file) {
  const bytes = fs.readFileSync(file), begin = 10 + bytes.readUInt16LE(8);
  const shape = /'shape': \(([^)]*)\)/.exec(bytes.toString('latin1', 10, begin))[1];
  return { shape: shape.split(',').filter((word) => word.trim()).map(Number),
           numbers: new Float32Array(bytes.buffer.slice(bytes.byteOffset + begin, bytes.byteOffset + bytes.length)) };
}

function decibels(truth, found) {
  let signal = 0, noise = 1e-30;
  truth.forEach((number, i) => { signal += number ** 2; noise += (number - found[i]) ** 2; });
  return 10 * Math.log10(signal / noise);
}

// One sample that both feed.
const input = new Float32Array(3 * 128 * 128).map((_, i) => Math.sin(i / 37) + Math.cos(i / 911));
const shape = [1, 3, 128, 128];
const header = `{'descr': '<f4', 'fortran_order': False, 'shape': (${shape.join(', ')}), }`.padEnd(117) + '\n';
fs.writeFileSync(`${folder}/input.npy`, Buffer.concat([
  Buffer.from([0x93, ...Buffer.from('NUMPY'), 1, 0, 118, 0]), Buffer.from(header, 'latin1'), Buffer.from(input.buffer)]));

let failed = false;
const check = (holds, text) => { console.log(`${holds ? 'ok' : 'FAILED'}: ${text}`); failed ||= !holds; };
const sessions = {};
for (const target of ['float', 'web:wasm', 'web:webgpu']) {
  const file = target === 'float' ? model : `${folder}/${target.slice(4)}.onnx`;
  if (target !== 'float') detent('quantize', model, ...data, '--limit', '16', '--target', target, '-o', file, '--overwrite');
  sessions[target] = await ort.InferenceSession.create(fs.readFileSync(file), { executionProviders: ['wasm'] });
  fs.rmSync(`${folder}/out`, { recursive: true, force: true });
  detent('run', file, '--data', `${folder}/input.npy`, '-o', `${folder}/out`, '--quiet');
  const [name] = sessions[target].outputNames;
  const got = await sessions[target].run({ [sessions[target].inputNames[0]]: new ort.Tensor('float32', input, shape) });
  const apart = decibels(readArray(`${folder}/out/${name}.npy`).numbers, got[name].data);
  check(apart > 30, `${target}: ${apart.toFixed(1)} dB from the program's own run`);
}
const least = { float: Infinity, 'web:wasm': Infinity };
for (let round = 0; round < 30; ++round)
  for (const target of Object.keys(least)) {
    const begin = process.cpuUsage();
    await sessions[target].run({ [sessions[target].inputNames[0]]: new ort.Tensor('float32', input, shape) });
    const used = process.cpuUsage(begin);
    least[target] = Math.min(least[target], (used.user + used.system) / 1e3);
  }
check(least['web:wasm'] < 1.1 * least.float + .05,
      `float ${least.float.toFixed(2)} ms, web:wasm ${least['web:wasm'].toFixed(2)} ms`);
process.exit(failed ? 1 : 0);
