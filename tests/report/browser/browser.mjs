// Drives headless Chromium over a pipe (--remote-debugging-pipe: JSON messages that end with a zero byte), without a
// package and without a port. Protocol: https://chromedevtools.github.io/devtools-protocol/
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const FLAGS = [
  '--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--hide-scrollbars', '--no-first-run',
  '--no-default-browser-check', '--disable-background-networking', '--disable-component-update', '--disable-sync',
  '--disable-extensions', '--metrics-recording-only', '--mute-audio', '--force-color-profile=srgb', '--lang=en-US',
  '--remote-debugging-pipe',
];

/// Starts a browser. `close` ends it and removes its profile.
export async function startBrowser(program) {
  const profile = mkdtempSync(join(tmpdir(), 'detent-browser-'));
  const child = spawn(program, [...FLAGS, `--user-data-dir=${profile}`, 'about:blank'],
                      { stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'] });
  const [, , errors, toBrowser, fromBrowser] = child.stdio;
  let complaints = '', rest = '', next = 1;
  const waiting = new Map(), listeners = new Set();
  errors.on('data', (chunk) => (complaints = (complaints + chunk).slice(-4000)));
  toBrowser.on('error', () => {});  // the exit below reports it

  const exited = new Promise((resolve) => child.on('close', resolve));
  const fail = (why) => {
    for (const { reject } of waiting.values()) reject(new Error(`${why}\n${complaints}`));
    waiting.clear();
  };
  child.on('error', (error) => fail(`cannot start ${program}: ${error.message}`));
  child.on('exit', (code) => fail(`${program} ended (${code})`));

  fromBrowser.setEncoding('utf8');
  fromBrowser.on('data', (chunk) => {
    const messages = (rest + chunk).split('\0');
    rest = messages.pop();
    for (const message of messages.map((text) => JSON.parse(text))) {
      if (message.id === undefined) {
        for (const listener of listeners) listener(message);
        continue;
      }
      const { resolve, reject } = waiting.get(message.id);
      waiting.delete(message.id);
      if (message.error) reject(new Error(message.error.message));
      else resolve(message.result);
    }
  });
  const send = (method, params = {}, sessionId = undefined) => new Promise((resolve, reject) => {
    const id = next++;
    waiting.set(id, { resolve, reject });
    toBrowser.write(JSON.stringify({ id, method, params, sessionId }) + '\0');
  });

  return {
    send,
    listen: (listener) => listeners.add(listener),
    async close() {
      await send('Browser.close').catch(() => {});
      const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
      await exited;
      clearTimeout(timer);
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
