import { statSync } from 'node:fs';
import { errorSource } from '../../app/source-position.js';
import type { Rule } from '../../rules/index.js';
import { FieldwiseError, thrownText } from '../../util/error.js';
import { importModule } from './import-module.js';

/**
 * Loads the rules that a TypeScript or JavaScript module exports by default.
 *
 * @param file the absolute path of the module.
 * @throws FieldwiseError `rules-invalid`.
 */
export async function loadRules(file: string): Promise<readonly Rule[]> {
  let exported: unknown;
  if (!isFile(file))
    throw rulesInvalid(
      'There is no such file',
      file,
      undefined,
      'Correct the path of `--rules`, or else that of `rules` in fieldwise.yaml.',
    );
  try {
    const module = await importModule(file);
    exported = module.default ?? module;
  } catch (cause) {
    throw rulesInvalid(
      `The rules cannot be loaded: ${(thrownText(cause).split('\n')[0] ?? '').replace('Error: ParseError', 'ParseError').trim()}`,
      file,
      cause,
    );
  }
  if (!Array.isArray(exported)) throw rulesInvalid('The module exports no list of rules by default', file);
  const wrong = exported.findIndex((rule: unknown) => !isRule(rule));
  if (wrong >= 0) throw rulesInvalid(`Item ${wrong + 1} of the list is not a rule`, file);
  return exported as readonly Rule[];
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
