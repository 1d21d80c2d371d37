import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { type Figure, median } from './figures.js';

const library = new URL('../../lib/src/testing/index.js', import.meta.url).href;
const servers = 50;
const definitions = 20;

/** Servers for tests, each with the same 20 CRDs of 100 fields, in a process of their own. The first one reads and compiles the CRDs. */
export async function freshServerFigures(directory: string, print: (figure: Figure) => void): Promise<void> {
  const crds = path.join(directory, 'crds');
  await mkdir(crds);
  for (let index = 0; index < definitions; index++) await writeFile(path.join(crds, `${index}.json`), JSON.stringify(definition(index)));
  const script = `
    import { testCluster } from ${JSON.stringify(library)};
    const times = [];
    for (let server = 0; server <= ${servers}; server++) {
      const started = performance.now();
      const cluster = await testCluster({ crds: ${JSON.stringify(crds)} });
      times.push(performance.now() - started);
      await cluster.stop();
    }
    console.log(JSON.stringify(times));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  const [first = Number.NaN, ...times] = JSON.parse(stdout) as number[];
  const milliseconds = (time: number) => `${time.toFixed(1)} ms`;
  const goal = (time: number) => ({ of: '10 ms', value: time / 10, target: { atMost: 1 } });
  print({ name: `a server for a test with ${definitions} CRDs, the first of a process`, value: milliseconds(first) });
  print({
    name: `a server for a test with ${definitions} CRDs, median of ${servers}`,
    value: milliseconds(median(times)),
    ratio: goal(median(times)),
  });
  print({
    name: `a server for a test with ${definitions} CRDs, worst of ${servers}`,
    value: milliseconds(Math.max(...times)),
    ratio: goal(Math.max(...times)),
  });
}

function definition(index: number) {
  const text = { type: 'string', maxLength: 64 };
  const part = { type: 'object', properties: Object.fromEntries(Array.from({ length: 10 }, (_, field) => [`field${field}`, text])) };
  const spec = { type: 'object', properties: Object.fromEntries(Array.from({ length: 10 }, (_, field) => [`part${field}`, part])) };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  const [kind, plural] = [`Thing${index}`, `thing${index}s`];
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.bench.example.com` },
    spec: {
      group: 'bench.example.com',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
}
