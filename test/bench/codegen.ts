import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { generateModules, readCrd } from '../../codegen/index.js';
import { BenchProject, timed } from './bench-project.js';
import { compileOverEmpty, completionTime } from './codegen-compile.js';
import { loadCost } from './codegen-load.js';
import { installPeers } from './codegen-peers.js';
import { type Figure, median } from './figures.js';

const largeCrd = fileURLToPath(new URL('../../../shared/corpus/crds/argoproj.io/applicationsets.yaml', import.meta.url));
const command = fileURLToPath(new URL('../../lib/src/cli/main.cjs', import.meta.url));

const ofKind = `import { container, deployment, podSpec } from 'fieldwise/k8s/apps/v1';
const spec = podSpec().withContainers(container('web').withImage('nginx'), { name: 'side', image: 'x', ports: [{ containerPort: 80 }] });
export const web = deployment('web', 'shop').withSpec({ replicas: 2, template: { spec } });
`;
const ofLarge = `import { applicationSet, applicationSetSpec } from './large/argoproj.io/v1alpha1.js';
export const all = applicationSet('all').withSpec(applicationSetSpec().set('goTemplate', true)).withSpec({
  generators: [{ list: { elements: [{ cluster: 'a' }] } }, { matrix: { generators: [{ git: { repoURL: 'x', revision: 'main' } }] } }],
  template: { metadata: { name: 'x' }, spec: { project: 'p', destination: { namespace: 'n' }, source: { repoURL: 'x' } } },
});
`;
const inEditor = `import { podSpec } from 'fieldwise/k8s/core/v1';\npodSpec().`;

/** Builders: what they weigh, what compiler, editor and loader pay for them, and how fast they are made. */
export async function codegenFigures(print: (figure: Figure) => void): Promise<void> {
  const project = new BenchProject();
  try {
    const large = existsSync(largeCrd);
    if (large) await sizes(project, print);
    else print({ name: `the CRD of 1.4 MB (${largeCrd})`, value: 'not present' });
    await compiling(project, large, print);
    await loading(project, print);
    if (large) await importing(project, print);
  } finally {
    project.remove();
  }
}

async function sizes(project: BenchProject, print: (figure: Figure) => void): Promise<void> {
  const document: unknown = parse(readFileSync(largeCrd, 'utf8'));
  for (const docs of [true, false]) {
    const { files } = await generateModules(readCrd(document, { docs }).roots, { docs });
    const bytes = files.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
    for (const { path, text } of files) project.write(`large/${path}`, text);
    const name = `CRD of 1.4 MB: output ${docs ? 'with' : 'without'} doc comments`;
    print(docs ? { name, value: kilobytes(bytes) } : { name, value: kilobytes(bytes), ratio: within('150 KB', bytes / 150_000) });
  }
}

async function compiling(project: BenchProject, large: boolean, print: (figure: Figure) => void): Promise<void> {
  const { empty, kind, crd } = await compileOverEmpty(project, { kind: ofKind, ...(large ? { crd: ofLarge } : {}) });
  print({ name: 'tsc: an empty program', value: milliseconds(empty as number) });
  print({
    name: 'tsc: a program with a Deployment, over empty',
    value: milliseconds(kind as number),
    ratio: within('100 ms', (kind as number) / 100),
  });
  if (crd !== undefined)
    print({ name: 'tsc: a program with the CRD of 1.4 MB, over empty', value: milliseconds(crd), ratio: within('100 ms', crd / 100) });
  const completion = completionTime(project, inEditor);
  const name = `editor: ${completion.entries} completions on a builder, warm`;
  print({ name, value: milliseconds(completion.milliseconds), ratio: within('50 ms', completion.milliseconds / 50) });
}

async function loading(project: BenchProject, print: (figure: Figure) => void): Promise<void> {
  const { api, loader } = await loadCost(project);
  print({ name: 'load: whole built-in API', value: milliseconds(api.milliseconds), ratio: within('15 ms', api.milliseconds / 15) });
  print({ name: 'load: whole built-in API, heap', value: kilobytes(api.bytes), ratio: within('500 KB', api.bytes / 500_000) });
  print({ name: 'load: as many modules that hold nothing', value: `${milliseconds(loader.milliseconds)} ${kilobytes(loader.bytes)}` });
}

async function importing(project: BenchProject, print: (figure: Figure) => void): Promise<void> {
  const rounds = 3;
  const peers = await installPeers(project);
  const ours: number[] = [];
  const theirs = new Map<string, number[]>();
  const absent = new Map([...peers].flatMap(([name, peer]) => ('absent' in peer ? [[name as string, peer.absent] as const] : [])));
  for (let round = 0; round < rounds; round++) {
    const words = [command, 'import', largeCrd, '--outdir', `ours-${round}`];
    ours.push((await timed(process.execPath, words, { cwd: project.directory })).milliseconds);
    for (const [name, peer] of peers) {
      if (absent.has(name) || 'absent' in peer) continue;
      try {
        theirs.set(name, [
          ...(theirs.get(name) ?? []),
          await peer.run(largeCrd, project.path(`peers/out-${name.replace('/', '-')}-${round}`)),
        ]);
      } catch (error) {
        absent.set(name, `it fails: ${error instanceof Error ? error.message.slice(0, 160).replace(/\s+/g, ' ') : String(error)}`);
      }
    }
  }
  print({ name: 'import of the CRD of 1.4 MB', value: milliseconds(median(ours)) });
  for (const [name, times] of theirs) {
    if (absent.has(name)) continue;
    const ratio = { of: 'ours', value: median(times) / median(ours), target: { atLeast: 1 } };
    print({ name: `import of it by ${name}`, value: milliseconds(median(times)), ratio });
  }
  for (const [name, why] of absent) print({ name: `import of it by ${name}: ${why}`, value: 'not present' });
}

function within(allowed: string, value: number): NonNullable<Figure['ratio']> {
  return { of: `the ${allowed} allowed`, value, target: { atMost: 1 } };
}

function milliseconds(value: number): string {
  return `${value.toFixed(value < 20 ? 1 : 0)} ms`;
}

function kilobytes(value: number): string {
  return `${Math.round(value / 1000)} KB`;
}
