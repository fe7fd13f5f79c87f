// Decodes 8-bit PNG files without interlacing: gray, palette (as indices), RGB, RGBA.
import { readFileSync } from 'node:fs';
import { inflateSync } from 'node:zlib';

const channelsOf = { 0: 1, 2: 3, 3: 1, 6: 4 };

function paeth(a, b, c) {
  const p = a + b - c;
  const [pa, pb, pc] = [Math.abs(p - a), Math.abs(p - b), Math.abs(p - c)];
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

function unfilter(rows, height, stride, step) {
  const out = new Uint8Array(height * stride);
  for (let y = 0; y < height; ++y) {
    const filter = rows[y * (stride + 1)];
    for (let x = 0; x < stride; ++x) {
      const at = y * stride + x;
      const left = x >= step ? out[at - step] : 0;
      const up = y > 0 ? out[at - stride] : 0;
      const corner = x >= step && y > 0 ? out[at - stride - step] : 0;
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter];
      out[at] = rows[y * (stride + 1) + 1 + x] + guess;
    }
  }
  return out;
}

// {width, height, channels, data}: rows of interleaved samples.
export function readPng(path) {
  const file = readFileSync(path);
  if (file.toString('latin1', 1, 4) !== 'PNG') throw new Error(`${path}: not a PNG file`);
  const parts = [];
  let head = null;
  for (let at = 8; at < file.length;) {
    const length = file.readUInt32BE(at);
    const kind = file.toString('latin1', at + 4, at + 8);
    const body = file.subarray(at + 8, at + 8 + length);
    if (kind === 'IHDR') head = body;
    if (kind === 'IDAT') parts.push(body);
    at += 12 + length;
  }
  const [width, height] = [head.readUInt32BE(0), head.readUInt32BE(4)];
  const channels = channelsOf[head[9]];
  if (head[8] !== 8 || !channels || head[12] !== 0) throw new Error(`${path}: only 8-bit PNG without interlacing`);
  const data = unfilter(inflateSync(Buffer.concat(parts)), height, width * channels, channels);
  return { width, height, channels, data };
}
