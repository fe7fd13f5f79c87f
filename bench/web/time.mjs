// node time.mjs FOLDER [OPERATOR]: a JSON line for each network of FOLDER's index (kernels.py): least CPU milliseconds
// of the operator on floats (f) and codes (i), by the difference of one and three repetitions. Needs onnxruntime-web in
// the node_modules of the folder that DETENT_WEB names.
import fs from 'fs';
import { createRequire } from 'module';
import v8 from 'v8';
// V8 would begin with its baseline compiler, and go over to the optimizing one in the midst of the measured runs.
for (const flag of ['--no-liftoff', '--wasm-lazy-compilation']) v8.setFlagsFromString(flag);
const require = createRequire((process.env.DETENT_WEB || process.cwd()) + '/x.js');
const ort = require('onnxruntime-web');
ort.env.wasm.numThreads = 1; ort.env.logLevel = 'error';
const dir = process.argv[2], only = process.argv[3];
const index = JSON.parse(fs.readFileSync(dir + '/index.json'));
for (const [op, p] of index) {
  if (only && op !== only) continue;
  const row = { op, p };
  try {
    const runs = [];
    for (const v of ['f1', 'f3', 'i1', 'i3']) {
      const s = await ort.InferenceSession.create(fs.readFileSync(`${dir}/${op}_${p.join('_')}_${v}.onnx`), { executionProviders: ['wasm'], logSeverityLevel: 3 });
      const shape = s.inputMetadata[0].shape, n = shape.reduce((a, b) => a * b, 1);
      const d = new Float32Array(n); for (let i = 0; i < n; ++i) d[i] = Math.sin(i * 1.7) * 2;
      runs.push({ s, f: { x: new ort.Tensor('float32', d, shape) }, best: 1e9, spent: 0 });
    }
    const rounds = 400, begin0 = Date.now();
    for (let k = 0; k < rounds && (k < 9 || Date.now() - begin0 < 700); ++k)
      for (const r of runs) {
        const b = process.cpuUsage(); await r.s.run(r.f); const u = process.cpuUsage(b);
        r.best = Math.min(r.best, (u.user + u.system) / 1e3);
      }
    for (const r of runs) await r.s.release();
    const [f1, f3, i1, i3] = runs.map((r) => r.best);
    row.f = +((f3 - f1) / 2).toFixed(5); row.i = +((i3 - i1) / 2).toFixed(5); row.raw = [f1, f3, i1, i3];
  } catch (e) { row.error = String(e).slice(0, 200); }
  console.log(JSON.stringify(row));
}
