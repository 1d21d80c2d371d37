import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { App, Stack } from '../../lib/src/entry/index.js';
import { ApiClient } from '../harness/api-client.js';
import { InterceptionProxy } from '../harness/interception-proxy.js';
import { startServer } from '../harness/server.js';
import { type Figure, median } from './figures.js';
import { mixedObjects } from './objects.js';

const command = fileURLToPath(new URL('../../lib/src/cli/main.cjs', import.meta.url));
const count = 1_000;
const rounds = 3;
const namespace = 'bench-seen';

/** `owners` and `status` on 1,000 objects of four kinds: LISTs of each kind, and time over that of a command that asks nothing. */
export async function inspectFigures(print: (figure: Figure) => void): Promise<void> {
  const server = await startServer();
  const directory = await mkdtemp(path.join(tmpdir(), 'fieldwise-bench-'));
  const client = new ApiClient(server.kubeconfig);
  const proxy = await InterceptionProxy.start(client, path.join(directory, 'proxy.kubeconfig'));
  const run = async (words: readonly string[], kubeconfig: string) => {
    const start = performance.now();
    const env = { ...process.env, KUBECONFIG: kubeconfig };
    const { stdout } = await promisify(execFile)(process.execPath, [command, ...words], { env, maxBuffer: 1 << 28 });
    return { seconds: (performance.now() - start) / 1000, stdout };
  };
  try {
    await client.call('POST', '/api/v1/namespaces', { body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } } });
    const outdir = path.join(directory, 'assembly');
    const app = new App({ name: 'bench', instance: 'seen', outdir });
    const stack = new Stack(app, 'all', { namespace });
    for (const object of mixedObjects(count, namespace)) stack.own(object as never);
    app.synth();
    await run(['deploy', '-a', outdir, '--no-wait'], server.kubeconfig);
    const commands = [
      { name: 'owners', words: ['owners', 'all', '-o', 'json'] },
      { name: 'status', words: ['status', '-a', outdir, '-o', 'json'] },
    ];
    for (const { name, words } of commands) {
      proxy.requests.length = 0;
      const { stdout } = await run(words, proxy.kubeconfig);
      const seen = stdout.split('\n').filter((line) => line.startsWith(`{"event":"${name}",`)).length;
      if (seen !== count) throw new Error(`${name} reported ${seen} objects`);
      const lists = proxy.requests.flatMap(({ method, path: requests }) => {
        const [, plural] = new RegExp(`^/apis?/.*/namespaces/${namespace}/([a-z]+)(?:\\?|$)`).exec(requests) ?? [];
        return method === 'GET' && plural ? [plural] : [];
      });
      const most = Math.max(...[...new Set(lists)].map((plural) => lists.filter((other) => other === plural).length));
      print({
        name: `${name}, ${count} objects of 4 kinds, LISTs of a kind`,
        value: String(most),
        ratio: { of: 'a LIST', value: most, target: { atMost: 2 } },
      });
      print({ name: `${name}, requests in all`, value: String(proxy.requests.length) });
      const times: number[] = [];
      for (let round = 0; round < rounds; round++) {
        const bare = await run(['--version'], server.kubeconfig);
        times.push((await run(words, server.kubeconfig)).seconds - bare.seconds);
      }
      const over = median(times);
      print({
        name: `${name}, ${count} objects, over start-up`,
        value: `${over.toFixed(2)} s`,
        ratio: { of: '1.5 s', value: over / 1.5, target: { atMost: 1 } },
      });
    }
  } finally {
    await proxy.stop();
    await rm(directory, { recursive: true, force: true });
    await server.stop();
  }
}
