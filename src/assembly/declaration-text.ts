import type { Declaration } from './types.js';

/** Formats a declaration as its construct path and its source position. */
export function declarationText({ construct, source }: Declaration): string {
  return source === undefined ? construct : `${construct} (${source})`;
}
