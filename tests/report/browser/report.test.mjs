// Opens a report on a desktop, in the dark, on a phone, on paper and without scripts.
//   node report.test.mjs REPORT.html ARTEFACTS_FOLDER PAGE      CHROMIUM names the program, PAGE is one of run_test.sh
import assert from 'node:assert/strict';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { DESK, PHONE, address, artefacts, page, sections, seen } from './report_page.mjs';

const kind = process.argv[4];
const equalized = ['sample', 'broken', 'equalize'].includes(kind), quantized = ['broken', 'quantize'].includes(kind);
const madeUp = ['sample', 'broken'].includes(kind);
const keep = (name) => join(artefacts, name);
const columnKeys = (table, column) => page.evaluate((id, index) => [...document.getElementById(id).tBodies[0].rows]
  .map((row) => row.cells[index].dataset.key).filter((key) => key !== '').map(Number), table, column);
const noComplaints = () => assert.deepEqual(page.complaints, []);

test('logs nothing and fetches nothing', async () => {
  await page.evaluate('scrollTo(0, document.body.scrollHeight)');
  noComplaints();
  assert.deepEqual(page.requests, [address]);
  assert.equal(await page.evaluate('performance.getEntriesByType("resource").length'), 0);
});

test('the watch itself sees a message and a request', async () => {
  await page.evaluate('console.error("on purpose"); fetch("http://127.0.0.1:9/").catch(() => {})');
  await page.evaluate('new Promise((done) => setTimeout(done, 50))');
  assert.ok(page.complaints.some((text) => text.includes('on purpose')));
  assert.ok(page.complaints.some((text) => text.includes('Content Security Policy')), 'the policy refuses a request');
});

test('the summary names the winner that the table marks', { skip: quantized }, async () => {
  const [winner] = await seen('.verdict strong');
  assert.deepEqual(await seen('#candidates-table .best th'), [`${winner} best`]);
  assert.ok((await sections()).includes('values'));
});

test('the verdict has its colour and the values to blame lead to their histograms', { skip: !quantized }, async () => {
  const [word] = await seen('.verdict strong');
  assert.equal(word, kind === 'broken' ? 'Broken' : 'Good');
  const ink = await page.evaluate('getComputedStyle(document.querySelector(".verdict")).color');
  assert.notEqual(await page.evaluate('getComputedStyle(document.querySelector(".verdict strong")).color'), ink);
  const blamed = await seen('#blame-table tbody code');
  assert.equal(blamed.length, kind === 'broken' ? 6 : 0);
  if (blamed.length === 0) return;
  await page.click('#blame-table tbody tr:nth-child(2) a');
  await page.evaluate('new Promise((done) => setTimeout(done, 50))');
  assert.deepEqual(await seen('.value h3 code'), [blamed[1]]);
  assert.deepEqual(await seen('#value-list .chosen code'), [blamed[1]]);
  noComplaints();
});

test('an outlier stands out of the plot of samples', async () => {
  assert.ok((await sections()).includes('outliers'));
  assert.deepEqual(await seen('.skyline .name'), madeUp ? ['airplane/airplane_0500.jpg', 'frog_0750.jpg'] : []);
  assert.equal((await seen('#outlier-table tr.best')).length, madeUp ? 2 : 0);
  const heights = await page.evaluate(() => ['part', 'bars'].map((part) =>
    document.querySelector(`.plot.skyline .${part}`).getBoundingClientRect().height));
  assert.ok(heights[0] <= heights[1] && heights[1] > 100, heights.join(' of '));
});

test('choosing a value by click shows its histogram and only that', async () => {
  const names = await seen('#value-list tbody code');
  assert.ok(names.length > 3);
  assert.deepEqual(await seen('.value h3 code'), [names[0]]);
  await page.click('#value-list tbody tr:nth-child(3) a');
  assert.deepEqual(await seen('.value h3 code'), [names[2]]);
  assert.deepEqual(await seen('#value-list .chosen code'), [names[2]]);
  assert.match(await page.evaluate('location.hash'), /^#value-\d+$/);
  // An address with a value selects it.
  await page.open(address + (await page.evaluate('location.hash')));
  assert.deepEqual(await seen('.value h3 code'), [names[2]]);
  noComplaints();
});

test('arrow keys walk through the list', async () => {
  const names = await seen('#value-list tbody code');
  await page.evaluate('document.querySelector("#value-list tbody a").focus()');
  await page.press('ArrowDown');
  await page.press('ArrowDown');
  assert.deepEqual(await seen('.value h3 code'), [names[2]]);
  await page.press('ArrowUp');
  assert.deepEqual(await seen('.value h3 code'), [names[1]]);
  assert.equal(await page.evaluate('document.activeElement.textContent.includes(document.querySelector(".value.chosen code").textContent)'), true);
});

test('searching leaves the rows that hold every word', async () => {
  const names = await seen('#value-list tbody code');
  const word = names[1].slice(-9).toLowerCase();
  await page.click('#values input[type=search]');
  await page.type(word);
  const left = await seen('#value-list tbody tr');
  assert.ok(left.length > 0 && left.every((text) => text.toLowerCase().includes(word)), left.join('|'));
  assert.deepEqual(await seen('#values output'), left.length < names.length ? [`${left.length} of ${names.length}`] : ['']);
  await page.type(' no such value');
  assert.deepEqual(await seen('#value-list tbody tr'), []);
  noComplaints();
});

test('a heading sorts, and sorts the other way at the second click', async () => {
  await page.click('#value-list thead th:nth-child(3) button');
  const down = await columnKeys('value-list', 2);
  assert.deepEqual(down, [...down].sort((a, b) => b - a));
  assert.equal(await page.evaluate('document.querySelector("#value-list th:nth-child(3)").ariaSort'), 'descending');
  await page.click('#value-list thead th:nth-child(3) button');
  assert.deepEqual(await columnKeys('value-list', 2), [...down].reverse().sort((a, b) => a - b));
  const table = quantized ? '#choice-table' : '#candidates-table';
  await page.click(`${table} thead th:first-child button`);
  const names = await page.evaluate((id) => [...document.querySelectorAll(`${id} tbody th`)].map((cell) => cell.textContent), table);
  assert.deepEqual(names, [...names].sort((a, b) => a.localeCompare(b, undefined, { numeric: true })));
  noComplaints();
});

test('tells of an equalization where there was one', async () => {
  assert.equal((await sections()).includes('equalization'), equalized);
  assert.deepEqual(await seen('nav a[href="#equalization"]'), equalized ? ['Equalization'] : []);
  if (!equalized) return;
  const families = await page.evaluate(() => [...document.querySelectorAll('#equalize-families tbody tr')]
    .map((row) => ({ values: Number(row.cells[1].textContent), decision: row.cells[5].textContent })));
  assert.ok(families.length > 0);
  for (const { values, decision } of families) assert.ok(values > 0, `${decision}: nothing to equalize`);
  assert.ok(families.some(({ decision }) => decision === 'kept'));
});

test('equalized values sort by their imbalance', { skip: !equalized }, async () => {
  const before = await columnKeys('equalize-values', 2);
  assert.ok(before.length > 0);
  assert.deepEqual(before, [...before].sort((a, b) => b - a), 'the most uneven first');
  await page.click('#equalize-values thead th:nth-child(4) button');
  const after = await columnKeys('equalize-values', 3);
  assert.deepEqual(after, [...after].sort((a, b) => b - a));
  assert.equal((await seen('#equalize-values tbody .dots')).length, Math.min(after.length, 15));
  noComplaints();
});

test('nodes in FP32 are told by reason, sort by what was measured, and are all there', async () => {
  const halves = kind === 'broken';
  assert.equal((await sections()).includes('floats'), halves);
  assert.deepEqual(await seen('nav a[href="#floats"]'), halves ? ['16-bit floats'] : []);
  assert.equal((await seen('#type-shares tbody tr')).length, halves ? 2 : 0);
  if (!halves) return;
  assert.deepEqual(await seen('#floats .figures .number'), ['160', '60', '31']);
  const reasons = await page.evaluate(() => [...document.querySelectorAll('#float-nodes-reasons tbody tr')]
    .map((row) => Number(row.cells[4].textContent)));
  assert.ok(reasons.length < 60 && reasons.reduce((sum, count) => sum + count) === 60, reasons.join());
  await page.click('#float-nodes-reasons thead th:nth-child(4) button');
  const reach = await columnKeys('float-nodes-reasons', 3);
  assert.deepEqual(reach, [...reach].sort((a, b) => b - a));
  await page.click('#float-nodes-details summary');
  assert.equal((await seen('#float-nodes tbody tr')).length, 60);
  await page.click('[data-search="float-nodes"] input[type=search]');
  await page.type('overflow');
  assert.equal((await seen('#float-nodes tbody tr')).length, 20);
  noComplaints();
});

test('the boxes of a detector lie in its pictures, and every score in the plot', async () => {
  const detector = kind === 'broken';
  assert.equal((await sections()).includes('detections'), detector);
  if (!detector) return;
  const pictures = await page.evaluate(async () => Promise.all([...document.querySelectorAll('.picture')].map(async (svg) => {
    const image = new Image();
    image.src = svg.querySelector('image').getAttribute('href');
    await image.decode();
    const frame = svg.getBoundingClientRect(), boxes = [...svg.querySelectorAll('rect')].map((box) => box.getBoundingClientRect());
    return { pixels: image.naturalWidth, boxes: boxes.length, ratio: frame.width / frame.height,
             outside: boxes.filter((box) => box.left < frame.left - 2 || box.right > frame.right + 2 ||
               box.top < frame.top - 2 || box.bottom > frame.bottom + 2).length };
  })));
  assert.equal(pictures.length, 4);
  for (const { pixels, boxes, ratio, outside } of pictures) {
    assert.deepEqual([pixels, boxes, outside], [96, 17, 0]);
    assert.ok(Math.abs(ratio - 416 / 312) < 0.02, `${ratio}`);
  }
  const plot = await page.evaluate(() => {
    const { width, height } = document.querySelector('.scatter').getBoundingClientRect();
    return { ratio: width / height, points: document.querySelector('.scatter path:not(.lost)').getAttribute('d').split('M').length - 1 };
  });
  assert.deepEqual(plot, { ratio: 1, points: 390 });
  noComplaints();
});

test('every file that was timed and compared is a point of the plot', async (t) => {
  if (kind !== 'broken') return t.skip('nothing was timed');
  const { dots, inside, hints } = await page.evaluate(() => {
    const frame = document.querySelector('svg.points').getBoundingClientRect();
    const circles = [...document.querySelectorAll('svg.points circle')], boxes = circles.map((one) => one.getBoundingClientRect());
    return { dots: circles.length, hints: circles.filter((one) => one.querySelector('title').textContent.includes(' ms, ')).length,
             inside: boxes.filter((box) => box.left > frame.left && box.right < frame.right && box.bottom < frame.bottom).length };
  });
  const rows = await page.evaluate(() => [...document.querySelectorAll('#latency-calls tbody tr')]
    .filter((row) => row.cells[1].textContent !== '\u2013').length);
  assert.deepEqual([dots, inside, hints], [rows, rows, rows]);
  assert.equal((await seen('#latency-calls tr.best')).length, 1);
  assert.equal((await seen('#latency-groups tr.best')).length, 2);
  noComplaints();
});

test('the float layers can be seen alone', async (t) => {
  const kept = await page.evaluate('document.querySelectorAll("#layers tr.float").length');
  if (kept === 0) return t.skip('no layer of this model stays float');
  await page.click('#placement input[type=checkbox]');
  assert.equal((await seen('#layers tbody tr')).length, kept);
  assert.equal((await seen('#layers tbody .reason')).length, kept);
});

test('pointing at a bar reads its count, pointing at a range marks it', async () => {
  await page.pointAt('.value.chosen .histogram', 0.3);
  assert.match((await seen('.value.chosen .readout'))[0], / to .*: [\d,]+ elements?$/);
  const index = quantized ? 0 : 1;  // of a range beside the best, where there are several
  await page.pointAt(`.value.chosen .range:nth-child(${index + 1})`);
  assert.deepEqual(await page.evaluate(() => {
    const index = (list) => [...document.querySelectorAll(`.value.chosen .${list}`)].map((part) => part.classList.contains('on'));
    return [index('range').indexOf(true), index('limit').indexOf(true), index('range').filter(Boolean).length];
  }), [index, index, 1]);
  noComplaints();
});

test('everything that can be used has a name for a screen reader', async () => {
  const { nodes } = await page.send('Accessibility.getFullAXTree');
  const roles = new Set(['button', 'link', 'searchbox', 'checkbox', 'region', 'image', 'img', 'navigation']);
  const used = nodes.filter((node) => !node.ignored && roles.has(node.role.value));
  assert.ok(used.length > 20);
  assert.deepEqual(used.filter((node) => !node.name?.value).map((node) => node.role.value), []);
});

test('fits a phone, without scrolling sideways', async () => {
  await page.useScreen(PHONE);
  await page.open(address);
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), PHONE.width);
  if (equalized)
    assert.ok(await page.evaluate(() => {
      const around = document.querySelector('#equalize-families').parentElement;
      return around.scrollWidth <= around.clientWidth;
    }), 'nor does the table of families');
  await page.click('#value-list tbody tr:nth-child(2) a');
  assert.equal((await seen('.value h3')).length, 1);
  noComplaints();
});

test('labels of an axis do not collide on a phone', async () => {
  await page.useScreen(PHONE);
  await page.open(address);
  const collisions = () => page.evaluate(() => [...document.querySelectorAll('svg.scale, svg.histogram, svg.points')]
    .flatMap((svg) => {
      const boxes = [...svg.querySelectorAll(':scope > text[text-anchor]')].filter((text) => text.checkVisibility())
        .map((text) => ({ text: text.textContent, box: text.getBoundingClientRect() })).filter(({ box }) => box.width > 0);
      return boxes.slice(1).filter(({ box }, i) => box.top < boxes[i].box.bottom && box.bottom > boxes[i].box.top &&
        box.left < boxes[i].box.right &&
        box.right > boxes[i].box.left).map(({ text }) => text);
    }));
  assert.deepEqual(await collisions(), []);
  await page.evaluate(() => {
    const label = document.querySelector('.value.chosen svg.histogram > text[text-anchor]');
    label.after(label.cloneNode(true));
  });
  assert.equal((await collisions()).length, 1, 'the watch sees a label on another');
});

test('reads without scripts', async () => {
  const all = await sections();
  await page.send('Emulation.setScriptExecutionDisabled', { value: true });
  await page.open(address);
  assert.deepEqual(await sections(), all);
  assert.equal(await page.evaluate('document.querySelectorAll("button, input").length'), 0, 'no dead controls');
  const names = await seen('#value-list tbody code');
  assert.deepEqual(await seen('.value h3 code'), [names[0]]);
  await page.click('#value-list tbody tr:nth-child(2) a');
  assert.deepEqual(await seen('.value h3 code'), [names[1]]);
  await page.send('Emulation.setScriptExecutionDisabled', { value: false });
});

test('screenshots and a print for those who look', async () => {
  const shots = { 'desktop-light': DESK, 'desktop-dark': { ...DESK, scheme: 'dark' }, phone: PHONE,
                  print: { width: 740, height: 1050, media: 'print' } };
  for (const [name, screen] of Object.entries(shots)) {
    await page.useScreen(screen);
    await page.open(address);
    await page.takeScreenshot(keep(`${name}.png`));
    await page.takeScreenshot(keep(`${name}-values.png`), '#values');
    await page.takeScreenshot(keep(`${name}-outliers.png`), '#outliers');
    if (equalized) await page.takeScreenshot(keep(`${name}-equalization.png`), '#equalization');
    if (kind === 'broken') await page.takeScreenshot(keep(`${name}-detections.png`), '#detections');
    if (kind === 'broken') await page.takeScreenshot(keep(`${name}-latency.png`), '#latency');
    assert.ok(statSync(keep(`${name}.png`)).size > 20000, `${name} is nearly empty`);
  }
  const { data } = await page.send('Page.printToPDF', { printBackground: true });
  writeFileSync(keep('print.pdf'), Buffer.from(data, 'base64'));
  noComplaints();
});
