import { statSync } from 'node:fs';
import { errorSource } from '../../app/source-position.js';
import type { Rule } from '../../rules/index.js';
import { FieldwiseError, thrownText } from '../../util/error.js';
import { importModule } from './import-module.js';
import { programFailed } from './program-error.js';
import { ProgramExit } from './program-exit.js';
import { type ModuleRun, runAsProcess } from './program-process.js';

/**
 * Loads the rules that a TypeScript or JavaScript module exports by default.
 *
 * @param options `file`: the absolute path of the module.
 * @throws FieldwiseError `rules-invalid`; `program-failed` if the module calls `process.exit`, or never ends to load.
 */
export async function loadRules(options: Omit<ModuleRun<unknown>, 'load' | 'until' | 'onOver'>): Promise<readonly Rule[]> {
  const { file } = options;
  if (!isFile(file))
    throw rulesInvalid(
      'There is no such file',
      file,
      undefined,
      'Correct the path of `--rules`, or else that of `rules` in fieldwise.yaml.',
    );
  const { loaded, exit } = await runAsProcess({ ...options, until: 'loaded', load: () => importOf(file) });
  if (loaded === undefined) {
    throw programFailed('The module of rules called process.exit(0)', file, {
      source: exit?.source,
      next: `${exportIt} Nothing was changed.`,
    });
  }
  const exported = loaded.module.default ?? loaded.module;
  if (!Array.isArray(exported)) throw rulesInvalid('The module exports no list of rules by default', file);
  const wrong = exported.findIndex((rule: unknown) => !isRule(rule));
  if (wrong >= 0) throw rulesInvalid(`Item ${wrong + 1} of the list is not a rule`, file);
  return exported as readonly Rule[];
}

/** @throws FieldwiseError `rules-invalid`. */
async function importOf(file: string): Promise<{ readonly module: Readonly<Record<string, unknown>> }> {
  try {
    return { module: await importModule(file) };
  } catch (cause) {
    if (cause instanceof ProgramExit) throw cause;
    throw rulesInvalid(
      `The rules cannot be loaded: ${(thrownText(cause).split('\n')[0] ?? '').replace('Error: ParseError', 'ParseError').trim()}`,
      file,
      cause,
    );
  }
}

function isFile(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true;
}

function isRule(value: unknown): value is Rule {
  if (typeof value !== 'object' || value === null) return false;
  const { verdict, check, name, message } = value as Partial<Rule>;
  const isText = [name, message].every((text) => text === undefined || typeof text === 'string');
  return (verdict === 'deny' || verdict === 'warn') && typeof check === 'function' && isText;
}

const exportIt = "Export them as `export default [deny((change) => …)]`, with `deny` and `warn` of 'fieldwise/rules' (docs/rules.md).";

function rulesInvalid(what: string, file: string, cause?: unknown, next = exportIt): FieldwiseError {
  const source = cause instanceof Error ? errorSource(cause) : undefined;
  return new FieldwiseError('rules-invalid', 'usage', what, {
    location: source === undefined ? { file } : { source },
    next: `${next} Nothing was changed.`,
    ...(cause === undefined ? {} : { cause }),
  });
}
