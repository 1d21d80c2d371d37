import { type AddressInfo, createServer } from 'node:net';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { environmentProxy, parsedProxy, shownProxy, urlAsInGo } from '../../../src/kubernetes/kubeconfig/proxy.js';
import { openTunnel } from '../../../src/kubernetes/kubeconfig/tunnel.js';

/** The proxy for a URL, with the setting that names it. */
function chosen(url: string, environment: Readonly<Record<string, string>>): string {
  const proxy = environmentProxy(new URL(url), environment);
  return proxy === undefined ? 'none' : `${proxy.source} ${shownProxy(proxy)}`;
}

const HTTPS_PROXY = 'http://user:secret@proxy:3128';
const used = 'HTTPS_PROXY http://proxy:3128';

describe('the proxy of the environment', () => {
  test.each([
    ['https://a.example.com', { HTTPS_PROXY }, used],
    ['https://a.example.com', { https_proxy: 'proxy:3128' }, 'https_proxy http://proxy:3128'],
    ['https://a.example.com', { HTTPS_PROXY: '', https_proxy: 'https://proxy' }, 'https_proxy https://proxy'],
    ['https://a.example.com', { HTTP_PROXY: HTTPS_PROXY }, 'none'],
    ['http://a.example.com', { HTTP_PROXY: 'http://proxy:1' }, 'HTTP_PROXY http://proxy:1'],
    ['https://localhost:6443', { HTTPS_PROXY }, 'none'],
    ['https://127.8.8.8:6443', { HTTPS_PROXY }, 'none'],
    ['https://[::1]:6443', { HTTPS_PROXY }, 'none'],
  ])('for %s with %o is %s', (url, environment, expected) => {
    expect(chosen(url, environment as Readonly<Record<string, string>>)).toBe(expected);
  });

  test.each([
    ['https://a.example.com', 'example.com', 'none'],
    ['https://example.com', 'example.com', 'none'],
    ['https://example.com', '.example.com', used],
    ['https://a.example.com', '.example.com', 'none'],
    ['https://a.example.com', '*.example.com', 'none'],
    ['https://aexample.com', 'example.com', used],
    ['https://A.Example.com', 'EXAMPLE.com', 'none'],
    ['https://example.com', 'example.com:443', 'none'],
    ['https://example.com:6443', 'example.com:443', used],
    ['https://example.com:6443', ' b.com , example.com:6443 ', 'none'],
    ['https://10.1.2.3', '10.0.0.0/8', 'none'],
    ['https://10.1.2.3', '10.1.2.3', 'none'],
    ['https://10.1.2.3:6443', '10.1.2.3:443', used],
    ['https://11.1.2.3', '10.0.0.0/8', used],
    ['https://10.1.2.3', '2.3', used],
    ['https://[fd00::1]:6443', 'fd00::/8', 'none'],
    ['https://[fd00::1]:6443', '[fd00::1]:6443', 'none'],
    ['https://[fd00::1]:6443', 'fd00::2', used],
    ['https://example.com', 'a,*', 'none'],
    ['https://example.com', '10.0.0.0/8,/,:443,', used],
    ['https://xn--mnchen-3ya.example', 'münchen.example', 'none'],
  ])('for %s and NO_PROXY %s is %s', (url, NO_PROXY, expected) => {
    expect(chosen(url, { HTTPS_PROXY, NO_PROXY })).toBe(expected);
    expect(chosen(url, { HTTPS_PROXY, no_proxy: NO_PROXY })).toBe(expected);
  });
});

test.each([
  ['https://host:1 ', undefined],
  ['https://ho\\st/', undefined],
  ['https:\\\\host', undefined],
  ['https://host/a\n', undefined],
  [' https://host', undefined],
  ['https://host/a b ', 'https://host/a%20b%20'],
  ['https://host/a\\b', 'https://host/a%5Cb'],
  ['https://host:1/a?b c', 'https://host:1/a?b%20c'],
])('the URL %j is %s, as in Go', (text, expected) => {
  expect(urlAsInGo(text)?.href).toBe(expected);
});

test.each(['me:pa%zz', 'me:pa%', 'm%e:pa%20'])('a proxy with the user %s is refused, and named by its setting only', (user) => {
  expect(() => parsedProxy(`http://${user}@proxy`, 'HTTPS_PROXY')).toThrow(
    /^HTTPS_PROXY has a % in its user or password that does not begin an escape sequence$/,
  );
});

describe('a proxy', () => {
  test.each(['http', 'socks5'])('by %s that says nothing is given up, and its connection is closed', async (scheme) => {
    let isClosed: Promise<unknown> = Promise.resolve();
    const silent = createServer((socket) => {
      socket.resume();
      isClosed = new Promise((resolve) => socket.on('close', resolve));
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const url = new URL(`${scheme}://user:secret@127.0.0.1:${(silent.address() as AddressInfo).port}`);
    const tunnel = openTunnel({ url, source: 'HTTPS_PROXY' }, { host: 'a.example.com', port: 443 }, { timeoutMs: 50, tls: {} });
    const error: unknown = await tunnel.catch((caught: unknown) => caught);
    expect((error as Error).message).toContain(`the proxy ${scheme}://${url.host} does not answer`);
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('secret');
    await isClosed;
    silent.close();
  });

  test.each([
    ['hunter22', '407 bad password ***'],
    [Buffer.from('user:hunter22').toString('base64'), '407 bad password ***'],
    ['other words', '407 bad password other words'],
  ])('that quotes %s of what it was sent is shown without user and password', async (quoted, shown) => {
    const refusing = createServer((socket) => socket.end(`HTTP/1.1 407 bad password ${quoted}\r\ncontent-length: 0\r\n\r\n`));
    await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve));
    const url = new URL(`http://user:hunter22@127.0.0.1:${(refusing.address() as AddressInfo).port}`);
    const tunnel = openTunnel({ url, source: 'HTTPS_PROXY' }, { host: 'a.example.com', port: 443 }, { timeoutMs: 5_000, tls: {} });
    await expect(tunnel).rejects.toThrow(`the proxy http://${url.host} refuses a connection with a.example.com:443: ${shown}`);
    refusing.close();
  });

  test('with an https:// URL that answers in plain text is said to do so', async () => {
    const plain = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n').on('error', () => {}));
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    const url = new URL(`https://127.0.0.1:${(plain.address() as AddressInfo).port}`);
    const tunnel = openTunnel({ url, source: 'HTTPS_PROXY' }, { host: 'a.example.com', port: 443 }, { timeoutMs: 5_000, tls: {} });
    await expect(tunnel).rejects.toThrow(`the proxy https://${url.host} does not speak TLS: write its URL with http://`);
    plain.close();
  });
});
