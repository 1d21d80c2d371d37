import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { App, Stack } from '../../../lib/src/entry/index.js';
import type { JsonObject } from '../../../lib/src/util/json.js';
import type { Command } from '../processes/cost.js';
import { rowsOfGroups } from '../rows.js';
import type { PeerTool } from './peer-tool.js';

const checkout = fileURLToPath(new URL('../../..', import.meta.url));
const commandLine = path.join(checkout, 'lib/src/cli/main.cjs');

/** Fieldwise, which deploys an assembly. */
export const fieldwise = fieldwiseOfStacks(1);

/** Fieldwise, which deploys an assembly with the objects divided among stacks. */
export function fieldwiseOfStacks(stacks: number) {
  return {
    id: 'fieldwise',
    title: 'Fieldwise',
    role: 'fieldwise',
    rows: rowsOfGroups.peers,
    async prepare({ directory, objects, changed }) {
      const assembly = synthesize(path.join(directory, 'assembly'), objects, stacks);
      const changedAssembly = synthesize(path.join(directory, 'changed'), changed, stacks);
      return {
        create: deployment(assembly),
        unchanged: deployment(assembly),
        preview: { file: process.execPath, words: [commandLine, 'diff', '-a', changedAssembly] },
        changed: deployment(changedAssembly),
        destroy: destruction(assembly),
      };
    },
  } satisfies PeerTool;
}

/** Fieldwise, which sends every object, whatever a list of the live objects proves. */
export const fieldwiseFull: PeerTool = {
  id: 'fieldwise-full',
  title: 'Fieldwise `--reconcile full`',
  role: 'fieldwise',
  rows: ['unchanged', 'changed'],
  async prepare({ directory, objects, changed }) {
    const assembly = synthesize(path.join(directory, 'assembly'), objects);
    const changedAssembly = synthesize(path.join(directory, 'changed'), changed);
    const [unchanged, change] = [assembly, changedAssembly].map((app) => deployment(app, ['--reconcile', 'full'])) as [Command, Command];
    return { create: deployment(assembly), unchanged, changed: change, destroy: destruction(assembly) };
  },
};

/** Fieldwise, which runs a TypeScript program and deploys what it declares. */
export const fieldwiseProgram: PeerTool = {
  id: 'fieldwise-program',
  title: 'Fieldwise, from the program',
  role: 'fieldwise',
  rows: ['create', 'unchanged'],
  async prepare({ directory, objects }) {
    await mkdir(path.join(directory, 'node_modules'));
    await symlink(checkout, path.join(directory, 'node_modules', 'fieldwise'));
    await writeFile(path.join(directory, 'package.json'), '{ "type": "module" }');
    await writeFile(path.join(directory, 'objects.json'), JSON.stringify(objects));
    const program = path.join(directory, 'main.ts');
    await writeFile(program, programText(path.basename(directory)));
    return { create: deployment(program), unchanged: deployment(program), destroy: destruction(program) };
  },
};

/** Returns a plan of what {@link fieldwise} would change, for which only reads are sent. */
export function readOnlyPlan(directory: string): Command {
  return { file: process.execPath, words: [commandLine, 'diff', '--read-only', '-a', path.join(directory, 'changed')] };
}

/** Nothing brings the Deployments to life on the server of the bench, so nobody waits for them. */
function deployment(app: string, flags: readonly string[] = []): Command {
  return { file: process.execPath, words: [commandLine, 'deploy', '-a', app, '--no-wait', ...flags] };
}

function destruction(app: string): Command {
  return { file: process.execPath, words: [commandLine, 'destroy', '-a', app, '--yes'] };
}

function synthesize(outdir: string, objects: readonly JsonObject[], count = 1): string {
  const app = new App({ name: 'bench', instance: path.basename(path.dirname(outdir)), outdir });
  const stacks = Array.from(
    { length: count },
    (_, index) => new Stack(app, count === 1 ? 'all' : `part-${index}`, { namespace: 'default' }),
  );
  for (const [index, object] of objects.entries()) stacks[index % count]!.own(object as never);
  app.synth();
  return outdir;
}

function programText(instance: string): string {
  return `import { readFileSync } from 'node:fs';
import { App, Stack } from 'fieldwise';

const app = new App({ name: 'bench', instance: ${JSON.stringify(instance)} });
const stack = new Stack(app, 'all', { namespace: 'default' });
for (const object of JSON.parse(readFileSync(new URL('./objects.json', import.meta.url), 'utf8'))) stack.own(object);
app.synth();
`;
}
