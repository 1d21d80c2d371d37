import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readAssembly } from '../../src/assembly/index.js';
import type { Assembly } from '../../src/assembly/types.js';
import { App, Stack } from '../../src/entry/index.js';
import type { JsonObject } from '../../src/util/json.js';

export interface Declared {
  readonly lifecycle: 'own' | 'share';
  readonly object: JsonObject;
  readonly config?: JsonObject;
}

/** Stacks by name, each dependent on the one before it. They name no namespace, so that each round may have one of its own. */
export type Program = Readonly<Record<string, readonly Declared[]>>;

/** The assembly of a program, and where it lies; `formerNames` has those of its stacks that are renamed. */
export async function synthesized(
  app: string,
  program: Program,
  formerNames: Readonly<Record<string, string>> = {},
): Promise<{ readonly assembly: Assembly; readonly directory: string }> {
  const outdir = join(await mkdtemp(join(tmpdir(), 'fieldwise-program-')), 'assembly');
  const root = new App({ name: app, outdir });
  let before: Stack | undefined;
  for (const [name, declared] of Object.entries(program)) {
    const renamedFrom = formerNames[name];
    const stack = new Stack(root, name, renamedFrom === undefined ? {} : { renamedFrom });
    if (before) stack.addDependency(before);
    before = stack;
    for (const { lifecycle, object, config } of declared) stack[lifecycle](object as never, config as never);
  }
  root.synth();
  return { assembly: await readAssembly(outdir), directory: outdir };
}

export const own = (object: JsonObject, config?: JsonObject): Declared => ({ lifecycle: 'own', object, ...(config ? { config } : {}) });
export const share = (object: JsonObject): Declared => ({ lifecycle: 'share', object });

export const config = (name: string, data: JsonObject): JsonObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });

export const service = (name: string, port: number, portName: string): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { selector: { app: name }, ports: [{ name: portName, port, protocol: 'TCP' }] },
});
