import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

export interface Loopback {
  readonly url: string;
  /** Paths asked for, in order. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

/** A content, the address of another one, or a server that is busy for some requests. */
type Answer =
  | string
  | Buffer
  | { readonly redirect: string }
  | { readonly busy: number; readonly code: number; readonly after?: string; readonly content: string };

/** A server that answers GET by path: text, bytes, `{ redirect }`, or 404. */
export async function loopback(answers: Readonly<Record<string, Answer>>): Promise<Loopback> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const path = (request.url ?? '').split('?')[0] ?? '';
    const answer = answers[path];
    if (answer === undefined) response.writeHead(404).end('{"kind":"Status","message":"not found"}');
    else if (typeof answer === 'object' && 'busy' in answer) {
      const isBusy = asked.filter((one) => one === request.url).length <= answer.busy;
      if (isBusy) response.writeHead(answer.code, answer.after === undefined ? {} : { 'retry-after': answer.after }).end();
      else response.writeHead(200).end(answer.content);
    } else if (typeof answer === 'object' && 'redirect' in answer) response.writeHead(302, { location: answer.redirect }).end();
    else response.writeHead(200).end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** A gzipped tar archive as code hosts make them: one directory at the top, a pax header first. */
export function tarball(files: Readonly<Record<string, string>>): Buffer {
  const parts = [header('pax_global_header', 'g', 0)];
  for (const [path, text] of Object.entries(files)) {
    const content = Buffer.from(text);
    const long = Buffer.from(path);
    if (long.length > 100) {
      const record = `path=${path}\n`;
      const length = record.length + String(record.length + 4).length + 1;
      const pax = Buffer.from(`${length} ${record}`);
      parts.push(header('pax', 'x', pax.length), padded(pax));
    }
    parts.push(header(path.slice(0, 100), '0', content.length), padded(content));
  }
  return gzipSync(Buffer.concat([...parts, Buffer.alloc(1024)]));
}

function header(name: string, type: string, size: number): Buffer {
  const bytes = Buffer.alloc(512);
  bytes.write(name, 0, 100);
  bytes.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  bytes.write(type, 156);
  bytes.write('ustar\0', 257);
  return bytes;
}

function padded(content: Buffer): Buffer {
  return Buffer.concat([content, Buffer.alloc((512 - (content.length % 512)) % 512)]);
}
