// Setup of every page test: a browser, a tab, and the page opened on a desktop before each test.
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { after, before, beforeEach } from 'node:test';
import { pathToFileURL } from 'node:url';

import { startBrowser } from './browser.mjs';
import { openPage } from './page.mjs';

export const DESK = { width: 1280, height: 900 }, PHONE = { width: 390, height: 844, scale: 2, phone: true };
export const report = resolve(process.argv[2]), artefacts = resolve(process.argv[3]);
export const address = pathToFileURL(report).href;

let browser;
/// The tab; defined from the first test on.
export let page;

before(async () => {
  mkdirSync(artefacts, { recursive: true });
  browser = await startBrowser(process.env.CHROMIUM ?? 'chromium');
  page = await openPage(browser);
});
after(() => browser?.close());
beforeEach(async () => {
  page.complaints.length = 0;
  await page.useScreen(DESK);
  await page.open(address);
});

/// Returns the texts of the matching elements that are visible.
export const seen = (selector) => page.evaluate((css) => [...document.querySelectorAll(css)]
  .filter((element) => element.checkVisibility()).map((element) => element.textContent.trim()), selector);
export const sections = () => page.evaluate(() => [...document.querySelectorAll('main > [id]')].map((part) => part.id));
