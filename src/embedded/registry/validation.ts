import { badRequest } from '../api/failure.js';
import type { WriteOptions } from './options.js';

/** Problems of decoding as `fieldValidation` wants them: warnings, a refusal, or nothing. Source: KEP-2885. */
export function strictProblems(unknown: readonly string[], repeated: readonly string[]): readonly string[] {
  return [
    ...repeated.map((path) => `duplicate field ${JSON.stringify(path)}`),
    ...unknown.map((path) => `unknown field ${JSON.stringify(path)}`),
  ];
}

/** @throws Failure 400 under Strict */
export function decodingWarnings(
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  options: WriteOptions,
  problems: readonly string[],
): readonly string[] {
  if (problems.length === 0 || options.fieldValidation === 'Ignore') return [];
  if (options.fieldValidation !== 'Strict') return problems;
  const version = JSON.stringify(apiVersion.slice(apiVersion.indexOf('/') + 1));
  throw badRequest(`${kind} in version ${version} cannot be handled as a ${kind}: strict decoding error: ${problems.join(', ')}`);
}
