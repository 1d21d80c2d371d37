import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Connection } from './kubeconfig.js';

/** A response as it came over the wire. */
export interface RawResponse {
  readonly status: number;
  /** Values by lower-case name; several of one name are joined by a line break. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One connection of HTTP/1.1 on which a test writes any bytes. */
export class RawConnection {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #closed = false;
  #wake: () => void = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => {
      this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#closed = true;
      this.#wake();
    });
  }

  static async open({ server, ca }: Connection): Promise<RawConnection> {
    const { hostname, port, protocol } = new URL(server);
    const address = { host: hostname, port: Number(port) };
    const socket = protocol === 'http:' ? connect(address) : connectTls({ ...address, ...(ca ? { ca } : {}) });
    const connection = new RawConnection(socket);
    await new Promise((resolve, reject) => {
      socket.once(protocol === 'http:' ? 'connect' : 'secureConnect', resolve);
      socket.once('error', reject);
    });
    return connection;
  }

  /** True after the server has ended the connection. */
  get closed(): boolean {
    return this.#closed || this.#socket.readableEnded;
  }

  write(bytes: string | Uint8Array): void {
    this.#socket.write(bytes);
  }

  /** Returns the next response, or undefined if the connection ends before one or none comes in time. */
  async response(method = 'GET', seconds = 10): Promise<RawResponse | undefined> {
    const deadline = Date.now() + seconds * 1000;
    for (;;) {
      const found = parseResponse(this.#received, method, this.closed);
      if (found !== undefined) {
        this.#received = this.#received.subarray(found.length);
        return found.response;
      }
      if (this.closed || Date.now() >= deadline) return undefined;
      await this.#change(deadline);
    }
  }

  /** Returns true if the server ends the connection in time. */
  async ends(seconds: number): Promise<boolean> {
    const deadline = Date.now() + seconds * 1000;
    while (!this.closed && Date.now() < deadline) await this.#change(deadline);
    return this.closed;
  }

  close(): void {
    this.#socket.destroy();
  }

  #change(deadline: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.max(0, deadline - Date.now()));
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** Returns the text of a request with its headers; the Host header is set. */
export function requestText(method: string, target: string, headers: Readonly<Record<string, string>> = {}, body = ''): string {
  const all = { host: 'localhost', ...(body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) }), ...headers };
  const lines = Object.entries(all).flatMap(([name, values]) => values.split('\n').map((value) => `${name}: ${value}\r\n`));
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

function parseResponse(bytes: Buffer, method: string, ended: boolean): { response: RawResponse; length: number } | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const [first = '', ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = headers[name] === undefined ? value : `${headers[name]}\n${value}`;
  }
  const status = Number(first.split(' ')[1]);
  const content = bytes.subarray(headEnd + 4);
  const body = contentOf(content, status, method, headers, ended);
  return body && { response: { status, headers, body: body.text }, length: headEnd + 4 + body.length };
}

function contentOf(
  content: Buffer,
  status: number,
  method: string,
  headers: Readonly<Record<string, string>>,
  ended: boolean,
): { text: string; length: number } | undefined {
  if (method === 'HEAD' || status === 100 || status === 204 || status === 304) return { text: '', length: 0 };
  if (headers['transfer-encoding'] === 'chunked') return chunkedContent(content);
  const length = headers['content-length'] === undefined ? (ended ? content.length : Number.NaN) : Number(headers['content-length']);
  if (!(content.length >= length)) return undefined;
  return { text: content.subarray(0, length).toString('utf8'), length };
}

function chunkedContent(content: Buffer): { text: string; length: number } | undefined {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = content.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(content.subarray(at, lineEnd).toString('latin1'), 16);
    // No number: these bytes are not a chunk.
    if (Number.isNaN(size)) return undefined;
    const end = lineEnd + 2 + size;
    if (content.length < end + 2) return undefined;
    if (size === 0) return { text: Buffer.concat(chunks).toString('utf8'), length: end + 2 };
    chunks.push(content.subarray(lineEnd + 2, end));
    at = end + 2;
  }
}
