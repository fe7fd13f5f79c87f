// node page_test.mjs PROGRAM SAMPLE_FOLDER FOLDER: quantizes the sample for the browser, opens the page in Chromium and
// waits for its result; leaves page.png in FOLDER. Exits 77 where Chromium or onnxruntime-web is missing.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startBrowser } from '../../report/browser/browser.mjs';

const [program, sample, folder] = process.argv.slice(2);
const skip = (what) => { console.log(`SKIPPED page_test.mjs: ${what} is not installed`); process.exit(77); };
const engines = fileURLToPath(new URL('../../engines/web', import.meta.url));
const home = process.env.DETENT_WEB || engines;
if (!fs.existsSync(`${home}/node_modules/onnxruntime-web`)) skip('onnxruntime-web');
const names = [process.env.CHROMIUM, 'chromium', 'chromium-browser', 'google-chrome'].filter(Boolean);
const chromium = names.find((name) => spawnSync(name, ['--version']).status === 0);
if (!chromium) skip('Chromium');

fs.mkdirSync(folder, { recursive: true });
const file = `${folder}/model.onnx`;
execFileSync(program, ['quantize', `${sample}/model_opset13.onnx`, '--data', `${sample}/calib`, '--limit', '16', '--preprocess',
                       'imagenet,resize=128x128,crop=128', '--target', 'web', '-o', file, '--overwrite', '--quiet']);
const server = spawn('node', [fileURLToPath(new URL('serve.mjs', import.meta.url)), file, `${sample}/calib/000.png`, '0'],
                     { env: { ...process.env, DETENT_WEB: home }, stdio: ['ignore', 'pipe', 'inherit'] });
const [address] = String(await new Promise((resolve) => server.stdout.once('data', resolve))).trim().split('\n');
const browser = await startBrowser(chromium);
let said = '';
try {
  const { targetId } = await browser.send('Target.createTarget', { url: address });
  const { sessionId } = await browser.send('Target.attachToTarget', { targetId, flatten: true });
  const expression = "document.getElementById('result')?.textContent ?? ''";
  for (let turn = 0; turn < 300 && !/ms;|failed/.test(said); ++turn) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    said = (await browser.send('Runtime.evaluate', { expression }, sessionId)).result.value;
  }
  const { data } = await browser.send('Page.captureScreenshot', { format: 'png' }, sessionId);
  fs.writeFileSync(`${folder}/page.png`, Buffer.from(data, 'base64'));
} finally {
  await browser.close();
  server.kill();
}
const [, counts] = said.split('class: ');
const holds = /^[\d.]+ ms; /.test(said) && counts.split(', ').filter((count) => +count > 0).length > 1;
console.log(`${holds ? 'ok' : 'FAILED'}: ${said}`);
process.exit(holds ? 0 : 1);
