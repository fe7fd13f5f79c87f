// Tests the drawing of a graph of 1000 nodes: opened, pointed at, walked with the keys, and read as a list.
//   node graph.test.mjs REPORT.html ARTEFACTS_FOLDER PAGE      CHROMIUM names the program
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

import { DESK, PHONE, address, artefacts, page, seen } from './report_page.mjs';

const focused = () => page.evaluate('document.activeElement.id');
const noComplaints = () => assert.deepEqual(page.complaints, []);
/// Returns boxes by id, with their positions and targets.
const boxes = () => page.evaluate(() => [...document.querySelectorAll('.drawing a')].map((box) => {
  const { x, y, width, height } = box.querySelector('rect').getBoundingClientRect();
  return { id: box.id, kind: box.classList[0], label: box.getAttribute('aria-label'), keys: box.dataset.keys, x, y, width, height };
}));

test('1000 nodes are there within two seconds, and drawn', async () => {
  // Measures the CPU time of the thread that parses, styles, lays out and runs scripts, since wall time depends on the
  // load of the machine. Wall time is printed, and only stops a page that hangs.
  await page.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.open(address);
  const wall = await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() =>
    done(performance.now())))));
  const { metrics } = await page.send('Performance.getMetrics');
  const seconds = metrics.find(({ name }) => name === 'TaskDuration').value;
  console.log(`opened in ${seconds.toFixed(2)} s of CPU time, ${(wall / 1000).toFixed(2)} s on the clock`);
  const drawn = await page.evaluate('document.querySelectorAll(".drawing a").length');
  assert.ok(drawn >= 1000, `${drawn} nodes`);
  assert.ok(seconds > 0.01 && seconds < 2, `${seconds} s`);
  assert.ok(wall < 60_000, `${wall} ms`);
  noComplaints();
});

test('no two boxes overlap, and every edge goes down', async () => {
  const all = await boxes();
  const rows = new Map(all.map(({ y }) => [y, all.filter((box) => box.y === y)]));
  for (const row of rows.values()) {
    row.sort((a, b) => a.x - b.x);
    for (let i = 1; i < row.length; ++i) assert.ok(row[i].x >= row[i - 1].x + row[i - 1].width, `${row[i].id} and ${row[i - 1].id}`);
  }
  for (const box of all) {
    const [up, down] = box.keys.split(',');
    if (up) assert.ok(all[up].y + all[up].height < box.y, box.id);
    if (down) assert.ok(all[down].y > box.y + box.height, box.id);
  }
});

test('words of a box do not collide, on a desk or a phone', async () => {
  for (const screen of [DESK, PHONE]) {
    await page.useScreen(screen);
    const collisions = await page.evaluate(() => [...document.querySelectorAll('.drawing a')].filter((box) => {
      const [op, word, name] = [...box.querySelectorAll('text')].map((text) => text.getBoundingClientRect());
      const frame = box.querySelector('rect').getBoundingClientRect();
      return (word.width > 0 && op.right > word.left) || name.right > frame.right;
    }).map((box) => box.textContent));
    assert.deepEqual(collisions, []);
  }
});

test('a type is said by colour and by word', async () => {
  const kinds = await page.evaluate(() => ['int8', 'fp16', 'fp32', 'other'].map((kind) => {
    const box = document.querySelector(`.drawing a.${kind}`);
    const { fill, strokeDasharray } = getComputedStyle(box.querySelector('rect'));
    return { look: `${fill} ${strokeDasharray}`, word: box.querySelector('.word').textContent };
  }));
  assert.deepEqual(kinds.map(({ word }) => word), ['INT8', 'FP16', 'FP32', 'not float']);
  assert.equal(new Set(kinds.map(({ look }) => look)).size, 4);
});

test('pairs and casts stand on edges, as often as the list has them', async () => {
  const marks = (kind) => page.evaluate((css) => document.querySelectorAll(`.drawing .mark.${css}`).length, kind);
  const tags = (word) => page.evaluate((text) => [...document.querySelectorAll('#graph-nodes td:last-child .tag')]
    .filter((tag) => tag.textContent.startsWith(text)).length, word);
  assert.ok(await marks('pair') > 100 && await marks('cast') > 50);
  assert.equal(await marks('pair'), await tags('pair'));
  assert.equal(await marks('cast'), await tags('cast to'));
  assert.equal(await page.evaluate(() => [...document.querySelectorAll('.drawing a')]
    .filter((box) => box.getAttribute('aria-label').startsWith('Cast ')).length), 0, 'a cast is no box');
});

test('a click opens the reason, of one node at a time', async () => {
  assert.deepEqual(await seen('.why'), []);
  await page.click('#box-1');
  assert.deepEqual(await seen('.why code'), ['/features/<0>/Conv&x', 'image']);
  assert.match((await seen('.why'))[0], /R1 weighted op: quantized input and weight/);
  assert.match((await seen('.why'))[0], /pair\s*R1 weighted op: read by an INT8 kernel/);
  await page.click('#box-2');
  assert.equal((await seen('.why code'))[0], '/features/<1>/Relu&x');
  assert.match((await seen('.why'))[0], /no pair/);
  assert.equal(await page.evaluate('document.querySelectorAll(".drawing .chosen").length'), 1);
  noComplaints();
});

test('arrow keys follow edges and rows, Enter opens the reason', async () => {
  await page.evaluate('document.querySelector(".drawing a[tabindex=\\"0\\"]").focus()');
  assert.equal(await focused(), 'box-0');
  await page.press('ArrowUp');
  assert.equal(await focused(), 'box-0', 'nothing stands above an input');
  await page.press('ArrowDown');
  const below = await focused();
  const all = await boxes();
  assert.equal(below, `box-${all[0].keys.split(',')[1]}`);
  await page.press('Enter');
  assert.ok((await seen('.why'))[0].includes('/features/'));
  await page.press('ArrowUp');
  assert.equal(await focused(), 'box-0');
  const row = all.find((box) => box.keys.split(',')[3] && box.kind === 'int8');
  await page.evaluate((id) => document.getElementById(id).focus(), row.id);
  await page.press('ArrowRight');
  assert.equal(await focused(), `box-${row.keys.split(',')[3]}`);
  assert.equal(await page.evaluate('document.querySelectorAll(".drawing a[tabindex=\\"0\\"]").length'), 1, 'one stop for Tab');
  noComplaints();
});

test('a screen reader hears every node, and the list says the same', async () => {
  const labels = (await boxes()).map(({ label }) => label);
  assert.deepEqual(labels.filter((label) => !/^\w+ \S/.test(label)), []);
  await page.click('#graph-details summary');
  const rows = await page.evaluate(() => [...document.querySelectorAll('#graph-nodes tbody tr')].map((row) => {
    const op = row.querySelector('th small').textContent, name = row.querySelector('th code').textContent;
    const word = row.cells[1].textContent;
    return `${op} ${name}${word === '\u2013' ? '' : `, ${word}`}`;
  }));
  assert.deepEqual(rows, labels);
  await page.click('[data-search="graph-nodes"] input[type=search]');
  await page.type('/features/<7>/');
  assert.equal((await seen('#graph-nodes tbody tr')).filter((text) => text.startsWith('/features/<7>/')).length, 1);
  noComplaints();
});

test('fits a phone, and leads to the list without scripts', async () => {
  await page.useScreen(PHONE);
  await page.open(address);
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), PHONE.width);
  await page.takeScreenshot(join(artefacts, 'phone.png'), '#graph');
  await page.send('Emulation.setScriptExecutionDisabled', { value: true });
  await page.useScreen(DESK);
  await page.open(address);
  await page.click('#box-1');
  assert.equal(await page.evaluate('location.hash'), '#node-1');
  assert.ok(await page.evaluate('document.querySelector("#node-1").checkVisibility()'), 'the list opens');
  await page.send('Emulation.setScriptExecutionDisabled', { value: false });
});

test('screenshots for those who look', async () => {
  for (const [name, screen] of Object.entries({ light: DESK, dark: { ...DESK, scheme: 'dark' } })) {
    await page.useScreen(screen);
    await page.open(address);
    await page.takeScreenshot(join(artefacts, `${name}.png`), '#graph');
  }
  noComplaints();
});
