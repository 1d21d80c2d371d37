import { badRequest } from '../api/status-error.js';
import type { WriteOptions } from '../registry/write-options.js';

/** A duplicate of YAML, which names its line and not its path. */
const yamlDuplicate = /^line \d+: key /;

/** The decoder of JSON remembers no more errors of a text. Source: observed. */
export const maxJsonErrors = 100;

/** Returns true for a duplicate of YAML. */
export function namesLine(duplicate: string): boolean {
  return yamlDuplicate.test(duplicate);
}

/** Returns the messages for unknown and duplicate fields, each of them once. Source: KEP-2885. */
export function strictDecodingErrors(unknown: readonly string[], duplicateFields: readonly string[]): readonly string[] {
  return [
    ...[...new Set(duplicateFields.filter((path) => !namesLine(path)))]
      .slice(0, maxJsonErrors)
      .map((path) => `duplicate field ${JSON.stringify(path)}`),
    ...duplicateFields.filter(namesLine),
    ...unknown.map((path) => `unknown field ${JSON.stringify(path)}`),
  ];
}

/** Returns the duplicates without those of unknown fields, which the decoder of a built-in object skips. Source: observed. */
export function duplicatesOfKnown(unknown: readonly string[], duplicateFields: readonly string[]): readonly string[] {
  if (unknown.length === 0 || duplicateFields.length === 0) return duplicateFields;
  const fields = new Set(unknown);
  const lengths = new Set(unknown.map(({ length }) => length));
  const isWithin = (path: string, end: number) => lengths.has(end) && fields.has(path.slice(0, end));
  return duplicateFields.filter((path) => {
    if (isWithin(path, path.length)) return false;
    return ![...path.matchAll(/[.[]/g)].some(({ index }) => isWithin(path, index));
  });
}

/** Returns the warnings that `fieldValidation` asks for. @throws StatusError 400 under Strict */
export function decodingWarnings(
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  options: WriteOptions,
  strictErrors: readonly string[],
): readonly string[] {
  if (strictErrors.length === 0 || options.fieldValidation === 'Ignore') return [];
  if (options.fieldValidation !== 'Strict') return strictErrors;
  const version = JSON.stringify(apiVersion.slice(apiVersion.indexOf('/') + 1));
  throw badRequest(`${kind} in version ${version} cannot be handled as a ${kind}: strict decoding error: ${strictText(strictErrors)}`);
}

/** Joins the errors of a refusal; duplicates of YAML are one error with a line for each. */
function strictText(errors: readonly string[]): string {
  const lines = errors.filter(namesLine);
  const others = errors.filter((error) => !namesLine(error));
  const yaml = lines.length === 0 ? [] : [`yaml: unmarshal errors:${lines.map((line) => `\n  ${line}`).join('')}`];
  return [...yaml, ...others].join(', ');
}
