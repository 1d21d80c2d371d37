import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { startServer } from '../harness/server.js';
import { type Bench, makeNamespace, removeServices, synthesize } from './deploy.js';
import { type Figure, median } from './figures.js';
import { mixedObjects } from './objects.js';

const objects = 1_000;
const rounds = 5;
const command = fileURLToPath(new URL('../../lib/src/cli/main.cjs', import.meta.url));

/** Deploys of 1,000 documents through a pipe, as whole processes, beside those of the same objects from a finished assembly. */
export async function documentFigures(print: (figure: Figure) => void): Promise<void> {
  const server = await startServer();
  const directory = await mkdtemp(path.join(tmpdir(), 'fieldwise-bench-'));
  try {
    await measure({ kubeconfig: server.kubeconfig, kubectl: undefined, directory, print });
  } finally {
    await rm(directory, { recursive: true, force: true });
    await server.stop();
  }
}

async function measure(bench: Bench): Promise<void> {
  const times = { assemblyCreate: [] as number[], assemblySame: [] as number[], pipeCreate: [] as number[], pipeSame: [] as number[] };
  for (let round = -1; round < rounds; round++) {
    const assembly = async () => {
      const namespace = `assembly-${round + 1}`;
      const args = ['-a', await synthesize(bench, namespace, objects)];
      return [await timed(bench, args), await timed(bench, args)] as const;
    };
    const pipe = async () => {
      const namespace = `pipe-${round + 1}`;
      await makeNamespace(bench, namespace);
      const stdin = mixedObjects(objects, namespace)
        .map((object) => `---\n${stringify(object)}`)
        .join('');
      const args = ['-f', '-', '--stack', namespace];
      return [await timed(bench, args, stdin), await timed(bench, args, stdin)] as const;
    };
    const [first, second] = round % 2 === 0 ? [assembly, pipe] : [pipe, assembly];
    const results = [
      [first, await first()],
      [second, await second()],
    ] as const;
    for (const namespace of [`assembly-${round + 1}`, `pipe-${round + 1}`]) await removeServices(bench, namespace);
    if (round < 0) continue; // the server is still warming up
    for (const [way, [create, same]] of results) {
      times[way === assembly ? 'assemblyCreate' : 'pipeCreate'].push(create);
      times[way === assembly ? 'assemblySame' : 'pipeSame'].push(same);
    }
  }
  for (const [name, of, to] of [
    ['create', times.pipeCreate, times.assemblyCreate],
    ['unchanged', times.pipeSame, times.assemblySame],
  ] as const) {
    bench.print({ name: `deploy -a, ${objects} objects, ${name}, whole process`, value: `${median(to).toFixed(2)} s` });
    const ratio = median(of.map((time, round) => time / (to[round] as number)));
    bench.print({
      name: `deploy -f -, ${objects} objects, ${name}, whole process`,
      value: `${median(of).toFixed(2)} s`,
      ratio: { of: 'deploy -a', value: ratio, target: { atMost: 1.1 } },
    });
  }
}

/** Returns the seconds of a deploy as a process of its own. */
async function timed({ kubeconfig, directory }: Bench, args: readonly string[], stdin = ''): Promise<number> {
  const start = performance.now();
  const child = spawn(process.execPath, [command, 'deploy', '--no-wait', ...args], {
    cwd: directory,
    env: { ...process.env, KUBECONFIG: kubeconfig },
    stdio: 'pipe',
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk));
  child.stdin.end(stdin);
  const code = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  if (code !== 0) throw new Error(`deploy ${args.join(' ')} ended with ${code}: ${output.slice(-2000)}`);
  return (performance.now() - start) / 1000;
}
