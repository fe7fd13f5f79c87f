// Opens the page of plan or lint: no values and no charts, tables that are searched and sorted.
//   node placement.test.mjs REPORT.html ARTEFACTS_FOLDER PAGE      CHROMIUM names the program, PAGE is plan or lint
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

import { DESK, PHONE, address, artefacts, page, sections, seen } from './report_page.mjs';

const lint = process.argv[4] === 'lint';

test('holds its parts, logs nothing and fetches nothing', async () => {
  const parts = await sections();
  for (const part of ['summary', ...(lint ? ['findings'] : ['equalizable']), 'coverage', 'graph', 'placement', 'origin'])
    assert.ok(parts.includes(part), part);
  assert.ok(!parts.includes('values'), 'there was no data');
  assert.deepEqual(page.complaints, []);
  assert.deepEqual(page.requests, [address]);
});

test('searching leaves the rows that hold every word', async () => {
  const table = lint ? 'finding-table' : 'layers', holder = `[data-search="${table}"]`;
  if (lint) await page.click('#findings-details summary');
  const rows = await seen(`#${table} tbody tr`);
  const word = rows[1].split(/\s/).find((text) => text.length > 6).toLowerCase();
  await page.click(`${holder} input[type=search]`);
  await page.type(word);
  const left = await seen(`#${table} tbody tr`);
  assert.ok(left.length > 0 && left.every((text) => text.toLowerCase().includes(word)), left.join('|'));
  await page.type(' no such row');
  assert.deepEqual(await seen(`#${table} tbody tr`), []);
  assert.deepEqual(page.complaints, []);
});

test('kinds of findings come worst first and sort by how many there are', { skip: !lint }, async () => {
  const keys = (column) => page.evaluate((index) => [...document.querySelectorAll('#finding-kinds tbody tr')]
    .map((row) => Number(row.cells[index].dataset.key)), column);
  const levels = await keys(0);
  assert.deepEqual(levels, [...levels].sort((a, b) => a - b));
  await page.click('#finding-kinds thead th:nth-child(3) button');
  const counts = await keys(2);
  assert.deepEqual(counts, [...counts].sort((a, b) => b - a));
  const ink = await page.evaluate('getComputedStyle(document.querySelector("#finding-kinds code")).color');
  assert.notEqual(await page.evaluate('getComputedStyle(document.querySelector("#finding-kinds .broken")).color'), ink);
});

test('the drawing shows the layers of the table in their types, and opens a reason', async () => {
  const int8 = await page.evaluate(() => [...document.querySelectorAll('#layers tbody tr')]
    .filter((row) => !row.classList.contains('float')).map((row) => row.querySelector('code').textContent).sort());
  const drawn = await page.evaluate(() => [...document.querySelectorAll('#graph-nodes tbody tr')]
    .filter((row) => row.cells[1].textContent === 'INT8').map((row) => row.querySelector('code').textContent));
  assert.deepEqual(int8.filter((name) => !drawn.includes(name)), []);
  assert.equal(await page.evaluate('document.querySelectorAll(".drawing a").length'),
               await page.evaluate('document.querySelectorAll("#graph-nodes tbody tr").length'));
  await page.click('.drawing a:nth-of-type(2)');
  assert.equal((await seen('.why')).length, 1);
  assert.deepEqual(page.complaints, []);
});

test('a long list is folded and opens whole', async () => {
  await page.useScreen(PHONE);
  await page.open(address);
  const layers = await page.evaluate('document.querySelectorAll("#layers tbody tr").length');
  assert.equal((await seen('#layers tbody tr')).length, Math.min(layers, 15));
  if (layers > 15) await page.click('#layers + .more');
  assert.equal((await seen('#layers tbody tr')).length, layers);
});

test('fits a phone, and reads without scripts', async () => {
  await page.useScreen(PHONE);
  await page.open(address);
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), PHONE.width);
  await page.takeScreenshot(join(artefacts, 'phone.png'));
  const all = await sections();
  await page.send('Emulation.setScriptExecutionDisabled', { value: true });
  await page.open(address);
  assert.deepEqual(await sections(), all);
  assert.equal(await page.evaluate('document.querySelectorAll("button, input").length'), 0, 'no dead controls');
  await page.send('Emulation.setScriptExecutionDisabled', { value: false });
});

test('screenshots for those who look', async () => {
  for (const [name, screen] of Object.entries({ light: DESK, dark: { ...DESK, scheme: 'dark' } })) {
    await page.useScreen(screen);
    await page.open(address);
    await page.takeScreenshot(join(artefacts, `${name}.png`));
  }
  assert.deepEqual(page.complaints, []);
});
