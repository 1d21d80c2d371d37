import type { AppRoot } from '../app/app-root.js';
import type { Stack } from '../app/stack.js';
import type { Assembly } from '../assembly/index.js';
import { parseExactJson } from '../util/exact-json.js';
import { isJsonObject } from '../util/json.js';
import { wrongUse } from './wrong-use.js';

/**
 * A program, or what `synth` made of it: an App, one Stack of an App, a directory that `synth` wrote, or the result of `readAssembly`.
 */
export type Program = AppRoot | Stack | Assembly | string;

/** A program as the engine takes it. */
export interface SynthesizedProgram {
  readonly assembly: Assembly | string;
  /** The name of the stack, for a program that is one stack. */
  readonly stacks?: readonly string[];
}

/**
 * Synthesizes a program in memory; no file is written. Assemblies are returned as they are.
 *
 * @throws FieldwiseError `option-invalid`, `declared-after-synth`, and the errors of synth.
 */
export async function synthesizeProgram(program: Program): Promise<SynthesizedProgram> {
  if (typeof program === 'string') return { assembly: program };
  if (isConstruct(program)) return synthesizeConstruct(program);
  if (isJsonObject(program) && 'manifest' in program) return { assembly: program };
  throw invalidProgram(program);
}

async function synthesizeConstruct(construct: AppRoot | Stack): Promise<SynthesizedProgram> {
  // Loaded late: a test that has no program needs no cdk8s.
  const { appOf } = await import('../app/app-root.js');
  const stack = await import('../app/stack.js');
  const { synthesize } = await import('../synth/synthesize.js');
  const app = appOf(construct);
  if (app === undefined || (construct !== app && !stack.Stack.isStack(construct))) throw invalidProgram(construct);
  app.checkWritten?.();
  const { manifest, files } = synthesize(app);
  const objects = manifest.stacks.map(
    ({ json }) => parseExactJson(files.get(json.path) as string) as unknown as Assembly['objects'][number],
  );
  return { assembly: { manifest, objects }, ...(construct === app ? {} : { stacks: [construct.node.path] }) };
}

function isConstruct(value: Program): value is AppRoot | Stack {
  return isJsonObject(value) && isJsonObject(value.node) && 'root' in value.node;
}

function invalidProgram(value: unknown): Error {
  const expected = 'an App, a Stack of an App, a directory that `synth` wrote, or the result of `readAssembly`';
  return wrongUse('The argument `program`', value, expected);
}
