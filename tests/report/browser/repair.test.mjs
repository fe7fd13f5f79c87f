// Opens the page of repair: the graph before and after, with pairs by what becomes of them.
//   node repair.test.mjs REPORT.html ARTEFACTS_FOLDER PAGE      CHROMIUM names the program
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

import { DESK, PHONE, address, artefacts, page, sections } from './report_page.mjs';

const marks = (drawing) => page.evaluate((index) => [...document.querySelectorAll('.drawing')[index].querySelectorAll('.mark.pair')]
  .map((mark) => mark.classList[2]), drawing);

test('holds its parts, logs nothing and fetches nothing', async () => {
  const parts = await sections();
  for (const part of ['summary', 'pairs', 'findings', 'error', 'scores', 'graph', 'origin']) assert.ok(parts.includes(part), part);
  assert.deepEqual(page.complaints, []);
  assert.deepEqual(page.requests, [address]);
});

test('removed pairs stand in the first drawing, added ones in the second', async () => {
  const before = await marks(0), after = await marks(1);
  assert.ok(before.includes('removed') && before.includes('moved'), before.join());
  assert.ok(after.includes('added') && after.includes('moved'), after.join());
  assert.ok(!before.includes('added') && !after.includes('removed'));
});

test('ids are unique, and a chosen node is marked in the other drawing', async () => {
  const ids = await page.evaluate(() => [...document.querySelectorAll('[id]')].map(({ id }) => id));
  assert.equal(new Set(ids).size, ids.length);
  const names = await page.evaluate(() => {
    const name = (box) => box.querySelector('title').textContent.split(', ')[0];
    const [before, after] = document.querySelectorAll('.drawing');
    const box = [...before.querySelectorAll('a')].find((one) => name(one).startsWith('Conv '));
    box.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));
    return [name(box), name(after.querySelector('.same'))];
  });
  assert.equal(names[0], names[1]);
});

test('fits a desk and a phone', async () => {
  for (const screen of [DESK, PHONE]) {
    await page.useScreen(screen);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
  }
  await page.useScreen(DESK);
  await page.takeScreenshot(join(artefacts, 'repair.png'));
});
