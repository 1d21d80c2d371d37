import type { KubeconfigCase } from './kubeconfig-case.js';
import { base64, internal, trusted } from './parts.js';
import type { World } from './world.js';

const connected = /^proxy CONNECT cluster\.internal:443$/;
const untouched = /proxy/;
const url = (port: number, scheme = 'http', user = '') => `${scheme}://${user}127.0.0.1:${port}`;
const httpsProxy = (world: World) => ({ HTTPS_PROXY: url(world.proxies.http) });
const through = (proxyUrl: (world: World) => string) => (world: World) => ({ ...internal(world), 'proxy-url': proxyUrl(world) });

const proxyCases: readonly KubeconfigCase[] = [
  { name: 'HTTPS_PROXY', cluster: internal, environment: httpsProxy, works: true, seen: [connected] },
  {
    name: 'https_proxy',
    cluster: internal,
    environment: (world) => ({ https_proxy: url(world.proxies.http) }),
    works: true,
    seen: [connected],
  },
  {
    name: 'HTTPS_PROXY without a scheme',
    cluster: internal,
    environment: (world) => ({ HTTPS_PROXY: `127.0.0.1:${world.proxies.http}` }),
    works: true,
    seen: [connected],
  },
  {
    name: 'HTTPS_PROXY with user and password',
    cluster: internal,
    environment: (world) => ({ HTTPS_PROXY: url(world.proxies.httpWithPassword, 'http', 'proxy:p%40ss@') }),
    works: true,
    seen: [connected],
  },
  {
    name: 'HTTPS_PROXY with a wrong password',
    cluster: internal,
    environment: (world) => ({ HTTPS_PROXY: url(world.proxies.httpWithPassword, 'http', 'proxy:secret-token@') }),
    works: false,
    message:
      /the proxy http:\/\/127\.0\.0\.1:\d+ refuses a connection with cluster\.internal:443: 407 Proxy Authentication Required.*HTTPS_PROXY is set and was used/,
  },
  {
    name: 'HTTPS_PROXY by SOCKS',
    cluster: internal,
    environment: (world) => ({ HTTPS_PROXY: url(world.proxies.socks, 'socks5') }),
    works: true,
    seen: [/^proxy SOCKS cluster\.internal:443$/],
  },
  {
    name: 'HTTPS_PROXY that does not answer',
    cluster: internal,
    environment: () => ({ HTTPS_PROXY: url(9) }),
    works: false,
    message: /the proxy http:\/\/127\.0\.0\.1:9 does not answer.*HTTPS_PROXY is set and was used/,
  },
  {
    name: 'HTTPS_PROXY that does not know the server',
    cluster: (world) => ({ ...internal(world), server: 'https://elsewhere.internal' }),
    environment: httpsProxy,
    works: false,
    message: /the proxy http:\/\/127\.0\.0\.1:\d+ refuses a connection with elsewhere\.internal:443: 502/,
  },
  { name: 'HTTPS_PROXY and a server on loopback', environment: httpsProxy, works: true, unseen: untouched },
  {
    name: 'HTTP_PROXY and a server with TLS',
    environment: (world) => ({ HTTP_PROXY: url(world.proxies.http) }),
    cluster: internal,
    works: false,
    message: /(?:ENOTFOUND|EAI_AGAIN) cluster\.internal.*If only a proxy reaches it, set HTTPS_PROXY, or proxy-url of the cluster c/,
  },
  {
    name: 'NO_PROXY with the domain of the server',
    cluster: internal,
    environment: (world) => ({ ...httpsProxy(world), NO_PROXY: 'example.com,.internal' }),
    works: false,
    message: /HTTPS_PROXY is set and was not used, because NO_PROXY contains \.internal/,
  },
  {
    name: 'NO_PROXY with another port of the server',
    cluster: internal,
    environment: (world) => ({ ...httpsProxy(world), NO_PROXY: 'cluster.internal:6443' }),
    works: true,
    seen: [connected],
  },
  {
    name: 'NO_PROXY with a network, and a name',
    cluster: internal,
    environment: (world) => ({ ...httpsProxy(world), NO_PROXY: '127.0.0.0/8,10.0.0.0/8' }),
    works: true,
    seen: [connected],
  },
  {
    name: 'NO_PROXY with everything',
    cluster: internal,
    environment: (world) => ({ ...httpsProxy(world), no_proxy: '*' }),
    works: false,
    message: /NO_PROXY contains \*/,
  },
  { name: 'proxy-url by http', cluster: through(({ proxies }) => url(proxies.http)), works: true, seen: [connected] },
  {
    name: 'proxy-url before HTTPS_PROXY and NO_PROXY',
    cluster: through(({ proxies }) => url(proxies.http)),
    environment: () => ({ HTTPS_PROXY: url(9), NO_PROXY: '*' }),
    works: true,
    seen: [connected],
  },
  {
    name: 'proxy-url to a server on loopback',
    cluster: (world) => ({ ...trusted(world), 'proxy-url': url(world.proxies.http) }),
    works: true,
    seen: [/^proxy CONNECT 127\.0\.0\.1:/],
  },
  { name: 'proxy-url by https', cluster: through(({ proxies }) => url(proxies.https, 'https')), works: true, seen: [connected] },
  {
    name: 'proxy-url by socks5',
    cluster: through(({ proxies }) => url(proxies.socks, 'socks5')),
    works: true,
    seen: [/^proxy SOCKS cluster\.internal:443$/],
  },
  {
    name: 'proxy-url by socks5 with user and password',
    cluster: through(({ proxies }) => url(proxies.socksWithPassword, 'socks5', 'proxy:p%40ss@')),
    works: true,
    seen: [/^proxy SOCKS cluster\.internal:443$/],
  },
  {
    name: 'proxy-url by socks5 with a wrong password',
    cluster: through(({ proxies }) => url(proxies.socksWithPassword, 'socks5', 'proxy:no@')),
    works: false,
    message: /the proxy socks5:\/\/127\.0\.0\.1:\d+ refuses user and password.*proxy-url of the cluster c is set and was used/,
  },
  {
    name: 'proxy-url by ftp',
    cluster: through(() => 'ftp://127.0.0.1'),
    works: false,
    message: /cluster c .*proxy-url that is neither http:\/\/, https:\/\/ nor socks5:\/\//,
  },
  {
    name: 'proxy-url that is no URL, to a server on loopback',
    cluster: (world) => ({ ...trusted(world), 'proxy-url': 'http://127.0.0.1:notaport' }),
    works: false,
    message: /proxy-url of the cluster c is not the URL of a proxy: http:\/\/127\.0\.0\.1:notaport/,
  },
  {
    name: 'HTTPS_PROXY that is no URL',
    cluster: internal,
    environment: () => ({ HTTPS_PROXY: 'http://user:secret-token@127.0.0.1:notaport' }),
    works: false,
    message: /HTTPS_PROXY is not the URL of a proxy: http:\/\/\*\*\*@127\.0\.0\.1:notaport/,
  },
  ...['proxy:secret-token%zz@', 'proxy:secret-token%@', 'secret-token%4:x@'].map((user) => ({
    name: `proxy-url with the broken escape sequence of ${user}`,
    cluster: through(({ proxies }: World) => url(proxies.httpWithPassword, 'http', user)),
    works: false,
    message: /proxy-url of the cluster c has a % in its user or password .*Write it as %25/,
    unseen: untouched,
  })),
  {
    name: 'HTTPS_PROXY with a broken escape sequence',
    cluster: internal,
    environment: (world) => ({ HTTPS_PROXY: url(world.proxies.http, 'http', 'proxy:secret-token%zz@') }),
    works: false,
    message: /HTTPS_PROXY has a % in its user or password/,
    unseen: untouched,
  },
  {
    name: 'proxy-url with a space at its end',
    cluster: through(({ proxies }) => `${url(proxies.http)} `),
    works: false,
    message: /proxy-url of the cluster c is not the URL of a proxy: "http:\/\/127\.0\.0\.1:\d+ ", with a space/,
    unseen: untouched,
  },
  {
    name: 'proxy-url and a client certificate',
    cluster: through(({ proxies }) => url(proxies.https, 'https')),
    user: ({ certificates: { alice } }) => ({ 'client-certificate-data': base64(alice.cert), 'client-key-data': base64(alice.key) }),
    works: true,
    seen: [/\| alice$/],
  },
];

const clear = (world: World) => ({ server: url(world.ports.clear) });

const tlsCases: readonly KubeconfigCase[] = [
  {
    name: 'certificate-authority as a file, relative',
    cluster: ({ ports }) => ({ server: `https://127.0.0.1:${ports.tls}`, 'certificate-authority': 'ca.crt' }),
    files: ({ certificates }) => ({ 'ca.crt': certificates.authority }),
    works: true,
  },
  {
    name: 'certificate-authority that is the certificate of the server',
    cluster: ({ certificates, ports }) => ({
      server: `https://127.0.0.1:${ports.tls}`,
      'certificate-authority-data': base64(certificates.server.cert),
    }),
    works: true,
  },
  {
    name: 'certificate-authority that is not there',
    cluster: ({ ports }) => ({ server: `https://127.0.0.1:${ports.tls}`, 'certificate-authority': 'ca.crt' }),
    works: false,
    message: /cluster c .*names the file \S+\/ca\.crt as certificate-authority, which does not exist/,
  },
  {
    name: 'certificate-authority-data that is not PEM',
    cluster: ({ ports }) => ({ server: `https://127.0.0.1:${ports.tls}`, 'certificate-authority-data': base64('hello') }),
    works: false,
    message: /certificate-authority-data of the cluster c of the kubeconfig contains no certificate/,
  },
  {
    name: 'certificate-authority of another',
    cluster: (world) => ({ ...trusted(world), 'certificate-authority-data': base64(world.certificates.foreign) }),
    works: false,
    message:
      /certificate of the API server is not trusted: .*certificate-authority-data of the cluster c in the kubeconfig has not signed it/,
  },
  {
    name: 'no certificate-authority',
    cluster: ({ ports }) => ({ server: `https://127.0.0.1:${ports.tls}` }),
    works: false,
    message: /certificate of the API server is not trusted: .*Set certificate-authority-data of the cluster c/,
  },
  {
    name: 'certificate-authority of SSL_CERT_FILE',
    cluster: ({ ports }) => ({ server: `https://127.0.0.1:${ports.tls}` }),
    environment: () => ({ SSL_CERT_FILE: 'ca.crt' }),
    files: ({ certificates }) => ({ 'ca.crt': certificates.authority }),
    works: true,
  },
  {
    name: 'insecure-skip-tls-verify',
    cluster: ({ ports }) => ({ server: `https://127.0.0.1:${ports.tls}`, 'insecure-skip-tls-verify': true }),
    works: true,
  },
  {
    name: 'insecure-skip-tls-verify beside a certificate-authority',
    cluster: (world) => ({ ...trusted(world), 'insecure-skip-tls-verify': true }),
    works: false,
    message: /cluster c .*certificate authority and insecure-skip-tls-verify: true, which contradict/,
  },
  { name: 'tls-server-name', cluster: (world) => ({ ...trusted(world), 'tls-server-name': 'cluster.internal' }), works: true },
  {
    name: 'tls-server-name that is not in the certificate',
    cluster: (world) => ({ ...trusted(world), 'tls-server-name': 'example.com' }),
    works: false,
    message: /certificate of the API server is for another name.*tls-server-name of the cluster/,
  },
  {
    name: 'a certificate that has expired',
    cluster: (world) => ({ ...trusted(world), server: `https://127.0.0.1:${world.ports.expired}` }),
    works: false,
    message: /certificate of the API server is not valid now: certificate has expired/,
  },
  {
    name: 'a server below a path',
    cluster: (world) => ({ ...trusted(world), server: `https://127.0.0.1:${world.ports.tls}/prefix/` }),
    works: true,
  },
  {
    name: 'a server that does not run',
    cluster: (world) => ({ ...trusted(world), server: `https://127.0.0.1:${world.ports.closed}` }),
    works: false,
    message: /The API server does not answer: connect ECONNREFUSED/,
  },
  {
    name: 'a server without a scheme',
    cluster: (world) => ({ ...trusted(world), server: `127.0.0.1:${world.ports.tls}` }),
    works: false,
    message: /server of the cluster c of the kubeconfig is not a URL/,
  },
  ...[' ', '\t', '\n', '/\n'].map((end) => ({
    name: `a server with ${JSON.stringify(end)} at its end`,
    cluster: (world: World) => ({ ...trusted(world), server: `https://127.0.0.1:${world.ports.tls}${end}` }),
    works: false,
    message: /server of the cluster c of the kubeconfig is not a URL: "https:\/\/127\.0\.0\.1:\d+.*", with a space/,
    unseen: /api/,
  })),
  {
    name: 'a server with backslashes',
    cluster: (world) => ({ ...trusted(world), server: `https:\\\\127.0.0.1:${world.ports.tls}` }),
    works: false,
    message: /server of the cluster c of the kubeconfig is not a URL/,
  },
  {
    name: 'a server with a backslash behind its port',
    cluster: (world) => ({ ...trusted(world), server: `https://127.0.0.1:${world.ports.tls}\\` }),
    works: false,
    message: /server of the cluster c of the kubeconfig is not a URL/,
  },
  {
    name: 'a cluster without a server',
    cluster: () => ({ 'tls-server-name': 'x' }),
    works: false,
    message: /cluster c of the kubeconfig has no server/,
  },
  {
    name: 'a server with a user and a password in its URL',
    cluster: (world) => ({ ...trusted(world), server: `https://someone:secret-token@127.0.0.1:${world.ports.tls}` }),
    works: false,
    message: /The server of the cluster c of the kubeconfig contains a user or a password/,
  },
  {
    name: 'a server that redirects',
    cluster: (world) => ({ ...trusted(world), server: `https://127.0.0.1:${world.ports.redirects}` }),
    works: false,
    message: /307, a redirect to https:\/\/localhost/,
    unlike: 'kubectl follows a redirect, and sends the credentials along.',
    seen: [/^redirected/],
    unseen: /^api/,
  },
  { name: 'a server without TLS on loopback', cluster: clear, works: true, seen: [/^api \| anonymous/] },
  {
    name: 'a server without TLS',
    cluster: () => ({ server: 'http://cluster.internal' }),
    works: false,
    message: /names a server without TLS/,
  },
  {
    name: 'a server without TLS through HTTP_PROXY',
    cluster: () => ({ server: 'http://cluster.internal', 'insecure-skip-tls-verify': true }),
    environment: (world) => ({ HTTP_PROXY: url(world.proxies.http) }),
    works: false,
    unlike: 'kubectl sends its requests through the proxy in the clear.',
    unseen: untouched,
    message: /names a server without TLS, and HTTP_PROXY a proxy, http:\/\/127\.0\.0\.1:\d+, which would read every object/,
  },
];

export const networkCases: readonly KubeconfigCase[] = [...proxyCases, ...tlsCases];
