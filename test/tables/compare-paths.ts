import type { Comparison } from './compare-tables.js';
import type { Received, Servers } from './servers.js';

/** Paths whose response is the same on both servers. */
const paths: readonly string[] = [
  ...['/healthz', '/livez', '/readyz'].flatMap((path) => [
    path,
    `${path}?verbose`,
    `${path}?verbose=false`,
    `${path}?exclude=etcd`,
    `${path}?verbose&exclude=etcd&exclude=none`,
    `${path}/ping`,
    `${path}/etcd`,
    `${path}/poststarthook/rbac/bootstrap-roles`,
    `${path}/shutdown`,
    `${path}/none`,
    `${path}/`,
  ]),
  '/none',
  '/logs',
  '/swagger.json',
  '/apis/none.example.com',
  '/apis/apps/v2',
  '/api/v2',
  '/openapi/v3/apis/none/v1',
];

/** Compares paths outside of the API, and unknown ones. */
export function comparePaths({ real, embedded }: Servers): Promise<readonly Comparison[]> {
  return Promise.all(
    paths.map(async (path) => {
      const [theirs, ours] = (await Promise.all([real({ path, accept: '*/*' }), embedded({ path, accept: '*/*' })])).map(shown);
      const what = `GET ${path}`;
      return { what, difference: theirs === ours ? undefined : `  real:     ${theirs}\n  embedded: ${ours}` };
    }),
  );
}

/** A body without content has no type on the real server. */
function shown({ code, contentType, text }: Received): string {
  const body = text.startsWith('{') ? JSON.stringify(JSON.parse(text)) : text;
  return `${code} ${text === '' ? '' : contentType} ${JSON.stringify(body)}`;
}
