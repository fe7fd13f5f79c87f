// node serve.mjs MODEL.onnx IMAGE [PORT]: serves the page with the quantized sample. `npm install onnxruntime-web` in
// the folder of the call, or in one that DETENT_WEB names.
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

const [model, image, port = '8080'] = process.argv.slice(2);
const library = path.join(process.env.DETENT_WEB || process.cwd(), 'node_modules/onnxruntime-web/dist');
const files = { '/': new URL('index.html', import.meta.url), '/model.onnx': model, '/image.png': image };
const types = { '.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm' };

const server = createServer(async (request, response) => {
  const { pathname } = new URL(request.url, 'http://localhost');
  const file = files[pathname] || (pathname.startsWith('/ort/') && path.join(library, path.basename(pathname)));
  try {
    if (!file) throw new Error('no such file');
    const content = await readFile(file);
    response.writeHead(200, { 'Content-Type': types[path.extname(String(file.pathname || file))] || 'application/octet-stream' });
    response.end(content);
  } catch {
    response.writeHead(404).end();
  }
});
server.listen(+port, '127.0.0.1', () => console.log(`http://localhost:${server.address().port}/`));
