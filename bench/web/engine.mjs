// engine.mjs: sessions of ONNX Runtime Web (WebAssembly, one thread). They answer JSON lines with others, for judge.py:
//   {"load": NAME, "path": FILE}                      {}
//   {"feed": [[INPUT, TYPE, SIZES, BASE64], ...]}     {}, for all sessions from here on
//   {"run": NAME}                                     {"outputs": [[OUTPUT, TYPE, SIZES, BASE64], ...]}
//   {"time": [NAME, ...], "seconds": S}               {"ms": {NAME: CPU milliseconds}}: the median of ten minima, warm
// {"error": TEXT} is what went wrong. onnxruntime-web lies in the node_modules of the folder that DETENT_WEB names.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import readline from 'node:readline';
import v8 from 'node:v8';

// V8 would begin with its baseline compiler, and go over to the optimizing one in the midst of the measured runs.
for (const flag of ['--no-liftoff', '--wasm-lazy-compilation']) v8.setFlagsFromString(flag);
const ort = createRequire(`${process.env.DETENT_WEB || process.cwd()}/x.js`)('onnxruntime-web');
ort.env.wasm.numThreads = 1;
ort.env.logLevel = 'error';
const arrays = { float32: Float32Array, float64: Float64Array, float16: Uint16Array, int64: BigInt64Array,
  uint64: BigUint64Array, int32: Int32Array, uint32: Uint32Array, int16: Int16Array, uint16: Uint16Array, int8: Int8Array,
  uint8: Uint8Array, bool: Uint8Array };
const sessions = {};
let feed;

function tensor([, type, sizes, text]) {
  const bytes = Uint8Array.from(Buffer.from(text, 'base64'));
  return new ort.Tensor(type, new arrays[type](bytes.buffer), sizes);
}

const given = (session) => Object.fromEntries(session.inputNames.map((name) => [name, feed[name]]));

async function cpuMilliseconds(session) {
  const begin = process.cpuUsage();
  const outputs = await session.run(given(session));
  const used = process.cpuUsage(begin);
  for (const one of Object.values(outputs)) one.dispose();
  return (used.user + used.system) / 1e3;
}

async function time(names, seconds) {
  const tenths = Object.fromEntries(names.map((name) => [name, []]));
  // WebAssembly is compiled anew, better, while it runs: the first runs of each kernel are slow.
  for (const end = Date.now() + 500 * seconds; Date.now() < end;)
    for (const name of names) await cpuMilliseconds(sessions[name]);
  for (let tenth = 0; tenth < 10; ++tenth) {
    const least = {}, end = Date.now() + 100 * seconds;
    do {
      for (const name of names) least[name] = Math.min(least[name] ?? Infinity, await cpuMilliseconds(sessions[name]));
    } while (Date.now() < end);
    for (const name of names) tenths[name].push(least[name]);
  }
  for (const name of names) tenths[name] = tenths[name].sort((a, b) => a - b)[5];
  return tenths;
}

async function answer(request) {
  if (request.load) {
    sessions[request.load] = await ort.InferenceSession.create(
      fs.readFileSync(request.path), { executionProviders: ['wasm'], logSeverityLevel: 3, ...request.options });
    return { version: ort.env.versions.web };
  }
  if (request.feed) feed = Object.fromEntries(request.feed.map((one) => [one[0], tensor(one)]));
  if (request.time) return { ms: await time(request.time, request.seconds) };
  if (!request.run) return {};
  const outputs = await sessions[request.run].run(given(sessions[request.run]));
  return { outputs: Object.entries(outputs).map(([name, { type, dims, data }]) =>
    [name, type, dims, Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64')]) };
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  let said;
  try { said = await answer(JSON.parse(line)); } catch (error) { said = { error: String(error.message ?? error) }; }
  process.stdout.write(`${JSON.stringify(said)}\n`);
}
