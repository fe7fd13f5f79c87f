// A tab: it records its log and requests, and does what a reader does.
import { writeFileSync } from 'node:fs';

/// Opens an empty tab. `complaints` collects errors, warnings and exceptions; `requests` every requested address,
/// without data in the page itself.
export async function openPage(browser) {
  const { targetId } = await browser.send('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await browser.send('Target.attachToTarget', { targetId, flatten: true });
  const send = (method, params) => browser.send(method, params, sessionId);
  const complaints = [], requests = [], waiting = [];

  browser.listen((event) => {
    if (event.sessionId !== sessionId) return;
    const { method, params } = event;
    if (method === 'Runtime.consoleAPICalled' && ['error', 'warning', 'assert'].includes(params.type))
      complaints.push(`console.${params.type}: ${params.args.map((arg) => arg.value ?? arg.description).join(' ')}`);
    if (method === 'Runtime.exceptionThrown')
      complaints.push(`exception: ${params.exceptionDetails.exception?.description ?? params.exceptionDetails.text}`);
    if (method === 'Log.entryAdded' && ['error', 'warning'].includes(params.entry.level))
      complaints.push(`log: ${params.entry.text}`);
    if (method === 'Network.requestWillBeSent' && !params.request.url.startsWith('data:')) requests.push(params.request.url);
    if (method === 'Page.loadEventFired') waiting.splice(0).forEach((resolve) => resolve());
  });
  for (const domain of ['Page', 'Runtime', 'Log', 'Network', 'DOM', 'Accessibility']) await send(`${domain}.enable`);

  const page = {
    send, complaints, requests,

    async open(url) {
      // Goes through an empty page, since an address with another fragment would not load again.
      for (const step of ['about:blank', url]) {
        const loaded = new Promise((resolve) => waiting.push(resolve));
        requests.length = 0;
        await send('Page.navigate', { url: step });
        await loaded;
      }
    },

    /// Returns the value of an expression, or of a function called with arguments, in the page.
    async evaluate(what, ...args) {
      const expression = typeof what === 'function' ? `(${what})(${args.map((arg) => JSON.stringify(arg)).join()})` : what;
      const { result, exceptionDetails } =
        await send('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true });
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
      return result.value;
    },

    /// Returns the middle of the first matching element, scrolled into view, in CSS pixels.
    async locate(selector) {
      const point = await page.evaluate((css) => {
        const element = document.querySelector(css);
        if (!element) return null;
        element.scrollIntoView({ block: 'center' });
        const box = element.getBoundingClientRect();
        return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
      }, selector);
      if (!point) throw new Error(`nothing fits ${selector}`);
      return point;
    },

    async click(selector) {
      const point = await page.locate(selector);
      for (const type of ['mouseMoved', 'mousePressed', 'mouseReleased'])
        await send('Input.dispatchMouseEvent',
                   { type, ...point, button: type === 'mouseMoved' ? 'none' : 'left', clickCount: 1 });
    },

    async pointAt(selector, across = 0.5) {
      const point = await page.locate(selector);
      const width = await page.evaluate((css) => document.querySelector(css).getBoundingClientRect().width, selector);
      await send('Input.dispatchMouseEvent', { type: 'mouseMoved', x: point.x + (across - 0.5) * width, y: point.y });
    },

    async type(text) { await send('Input.insertText', { text }); },

    async press(key) {
      for (const type of ['keyDown', 'keyUp']) await send('Input.dispatchKeyEvent', { type, key, code: key });
    },

    async useScreen({ width, height, scale = 1, phone = false, scheme = 'light', media = '' }) {
      await send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: scale, mobile: phone });
      await send('Emulation.setEmulatedMedia', { media, features: [{ name: 'prefers-color-scheme', value: scheme }] });
    },

    /// Returns a PNG of the whole page, or of the rectangle around the matching elements.
    async takeScreenshot(file, selector = 'html') {
      await page.evaluate('scrollTo(0, 0)');
      const clip = await page.evaluate((css) => {
        const box = document.querySelector(css).getBoundingClientRect();
        return { x: Math.max(0, box.x - 16), y: Math.max(0, box.y), width: Math.min(innerWidth, box.width + 32),
                 height: box.height, scale: 1 };
      }, selector);
      const { data } = await send('Page.captureScreenshot', { format: 'png', captureBeyondViewport: true, clip });
      writeFileSync(file, Buffer.from(data, 'base64'));
    },
  };
  return page;
}
