// Operators of ONNX Runtime's own in `detent run`, which expands them, against the engine's kernels: random inputs, one
// node a model. Forms without an expansion end with exit code 11 and the reason.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { detent, freshFolder } from './detent.mjs';
import { openSession, runOnce } from './engine.mjs';
import { cases, refused } from './expansion_cases.mjs';
import { readNpy, widened } from './npy.mjs';
import { writeOneNode } from './one_node.mjs';

async function inEngine({ file, feeds }) {
  const session = await openSession(file, 'disabled');
  try {
    return await runOnce(session, feeds);
  } finally {
    await session.release();
  }
}

async function inDetent({ file, data }) {
  const out = join(freshFolder(), 'out');
  const { stdout } = await detent('run', file, '-o', out, '--data', data, '--json');
  const values = Object.fromEntries(readdirSync(out).map((entry) => [entry.replace(/\.npy$/, ''), readNpy(join(out, entry))]));
  return { values, report: JSON.parse(stdout) };
}

// Sums of at most 200 rounded products and exponentials: 64 units in the last place of the largest element.
const floatBound = 64 * 2 ** -24;
// Each operator of an expansion rounds to 11 bits; few of the roundings reach the largest elements.
const halfBound = 4 * 2 ** -11;
// A code on the edge between two steps falls to either side; a wrong scale or zero point moves most codes.
const [codeBound, codesApart] = [1, 0.05];

// Returns the largest difference over the largest magnitude.
function relative(a, b) {
  const largest = a.reduce((most, v) => Math.max(most, Math.abs(v)), 0);
  return a.reduce((worst, v, i) => Math.max(worst, Math.abs(v - b[i])), 0) / (largest || 1);
}

function compare(name, theirs, ours, t) {
  assert.equal(ours.type, theirs.type, name);
  assert.equal(ours.data.length, theirs.data.length, `${name}: number of elements`);
  if (theirs.type.startsWith('float')) {
    const worst = relative(widened(theirs).data, widened(ours).data);
    t.diagnostic(`${name}: ${worst.toExponential(1)} of the largest value`);
    assert.ok(worst <= (theirs.type === 'float16' ? halfBound : floatBound), `${name}: ${worst} of the largest value`);
    return;
  }
  const steps = [...theirs.data].map((v, i) => Math.abs(Number(v) - Number(ours.data[i])));
  const bound = theirs.type === 'int32' ? 0 : codeBound;
  assert.ok(Math.max(...steps) <= bound, `${name}: ${Math.max(...steps)} steps`);
  assert.ok(steps.filter(Boolean).length <= codesApart * steps.length + 1, `${name}: ${steps.filter(Boolean).length} of ${steps.length} codes differ`);
}

for (const one of cases) {
  test(`${one.op}: ${one.form}`, async (t) => {
    const written = writeOneNode(freshFolder(), one);
    const [theirs, { values, report }] = [await inEngine(written), await inDetent(written)];
    const domain = one.domain ?? 'com.microsoft';
    assert.deepEqual(report.expanded, { [domain ? `${domain}.${one.op}` : one.op]: 1 });
    for (const name of one.compared ?? written.outputs) compare(name, theirs[name], values[name], t);
  });
}

for (const one of refused) {
  test(`refused: ${one.op}: ${one.form}`, async () => {
    const { file, data } = writeOneNode(freshFolder(), one);
    await assert.rejects(detent('run', file, '-o', join(freshFolder(), 'out'), '--data', data), (error) => {
      assert.match(error.message, /exit 11/);
      assert.match(error.message, one.reason);
      return true;
    });
    const { unsupported } = JSON.parse((await detent('inspect', file, '--json')).stdout);
    assert.match(unsupported[0].reason, one.reason);
  });
}
