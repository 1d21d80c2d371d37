import { badRequest } from '../api/status-error.js';
import type { WriteOptions } from '../registry/write-options.js';

/** Returns the messages for unknown and duplicate fields. Source: KEP-2885. */
export function strictDecodingErrors(unknown: readonly string[], duplicateFields: readonly string[]): readonly string[] {
  return [
    ...duplicateFields.map((path) => `duplicate field ${JSON.stringify(path)}`),
    ...unknown.map((path) => `unknown field ${JSON.stringify(path)}`),
  ];
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
  throw badRequest(`${kind} in version ${version} cannot be handled as a ${kind}: strict decoding error: ${strictErrors.join(', ')}`);
}
