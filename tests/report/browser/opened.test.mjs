// Opens a page on a desktop, in the dark and on a phone: its script finishes, its tables can be searched and sorted,
// and nothing is cut off.
//   node opened.test.mjs REPORT.html ARTEFACTS_FOLDER PAGE      CHROMIUM names the program
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { DESK, PHONE, address, artefacts, page, sections, seen } from './report_page.mjs';

const kind = process.argv[4];
const noComplaints = () => assert.deepEqual(page.complaints, []);

test('has its parts, and its script runs through', async () => {
  noComplaints();
  const parts = { weights: ['weights', 'provenance'], types: ['candidates', 'outliers', 'provenance', 'origin'],
                  sensitivity: ['sensitivity', 'coverage', 'values', 'placement', 'origin'] }[kind];
  const there = await sections();
  for (const part of parts) assert.ok(there.includes(part), `${part} of ${there}`);
  assert.ok(await page.evaluate('document.documentElement.classList.contains("scripted")'));
});

test('every search field finds rows of its table', async () => {
  const fields = await page.evaluate(() => [...document.querySelectorAll('[data-search]')].map((holder) => {
    const input = holder.querySelector('input[type="search"]');
    const rows = [...document.getElementById(holder.dataset.search).tBodies[0].rows];
    input.value = 'no row has this';
    input.dispatchEvent(new Event('input'));
    const none = rows.filter((row) => !row.hidden).length;
    input.value = rows[0].cells[0].textContent.trim().split(/\s+/)[0];
    input.dispatchEvent(new Event('input'));
    return [holder.dataset.search, none, !rows[0].hidden];
  }));
  assert.equal(fields.length > 0, kind !== 'types', 'a comparison of types has no list to search');
  for (const [name, none, first] of fields) assert.deepEqual([name, none, first], [name, 0, true]);
  noComplaints();
});

test('says in words how each type was made, and all of it is in sight', { skip: kind !== 'types' }, async () => {
  await page.useScreen({ ...DESK, width: 1000 });
  for (const table of ['candidates-table', 'sizes-table'])
    assert.ok(await page.evaluate((id) => {
      const box = document.getElementById(id).parentElement;
      return box.scrollWidth <= box.clientWidth;
    }, table), `${table} is wider than a page of 1000 pixels`);
});

for (const [name, screen] of [['desk', DESK], ['dark', { ...DESK, scheme: 'dark' }], ['phone', PHONE]])
  test(`fits the screen: ${name}`, async () => {
    await page.useScreen(screen);
    await page.open(address);
    noComplaints();
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), screen.width);
    const touching = await page.evaluate(() => {
      const boxes = [...document.querySelectorAll('.figures .number')].map((number) => {
        const range = document.createRange();
        range.selectNodeContents(number);
        return [range.getBoundingClientRect(), number.textContent];
      });
      return boxes.flatMap(([a, text]) => boxes.filter(([b]) => b.left > a.left && Math.abs(a.top - b.top) < 5 && a.right + 4 > b.left)
        .map(([, other]) => `${text} | ${other}`));
    });
    assert.deepEqual(touching, []);
    const { data } = await page.send('Page.captureScreenshot', { format: 'png', captureBeyondViewport: true });
    writeFileSync(join(artefacts, `${name}.png`), Buffer.from(data, 'base64'));
  });
