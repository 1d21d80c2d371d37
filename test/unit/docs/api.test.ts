import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import * as api from '../../../src/entry/deploy.js';
import { EmbeddedApiServer, inProcessCluster } from '../../../src/entry/embedded.js';
import { inProcessClient } from '../../../src/entry/in-process.js';
import { App, Stack } from '../../../src/entry/index.js';

const text = readFileSync(fileURLToPath(new URL('../../../docs/api.md', import.meta.url)), 'utf8');

test('the example of docs/api.md runs and does what it says', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'fieldwise-docs-'));
  const server = await EmbeddedApiServer.start({ port: false });
  try {
    const app = new App({ name: 'shop', outdir: join(directory, 'dist') });
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web' } };
    new Stack(app, 'web', { namespace: 'default' }).own({ ...object, data: { colour: 'blue' } });
    app.synth();
    const cluster = inProcessCluster(server);
    const client = inProcessClient(server);
    const resource = await client.resourceOf('v1', 'ConfigMap');
    await client.create(resource, 'default', { ...object, data: { colour: 'red' } }, 'somebody');

    const said: string[] = [];
    const [, example = ''] = /<!-- example -->\n```ts\n([\s\S]*?)```/.exec(text) ?? [];
    const statements = example
      .replace(/^import .*\n/, '')
      .replaceAll("'dist'", 'dist')
      .replace(/: \w+Error\b/g, '');
    const scope = {
      ...api,
      connect: async () => cluster,
      dist: app.outdir,
      console: { log: (...words: unknown[]) => void said.push(words.join(' ')) },
    };
    const AsyncFunction = (async () => {}).constructor as new (...words: string[]) => (...values: unknown[]) => Promise<void>;
    await new AsyncFunction(...Object.keys(scope), statements)(...Object.values(scope));

    expect(said).toEqual(['update ConfigMap default/web force .data.colour', '.data.colour back to somebody true']);
    const live = await client.get({ resource, namespace: 'default', name: 'web' });
    expect(live.data).toEqual({ colour: 'red' });
  } finally {
    await server.stop();
    rmSync(directory, { recursive: true });
  }
});
