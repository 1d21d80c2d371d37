import { createHash } from 'node:crypto';

/** Longest field manager that the API server takes. Source: Kubernetes API reference, PatchOptions.fieldManager. */
export const fieldManagerMaxBytes = 128;

const hashLength = 24;

/** What a field manager is derived from. */
export interface StackCoordinates {
  readonly app: string;
  readonly instance: string;
  /** Path of the stack below the app. */
  readonly stack: string;
}

/**
 * The field manager of a stack: `fieldwise/<app>/<instance>/<stack>`, each part percent-encoded outside `A-Za-z0-9._-`, so that two
 * stacks never share one. Where that exceeds 128 bytes it is cut and ends in `~` and a hash of the whole.
 */
export function fieldManagerOf({ app, instance, stack }: StackCoordinates): string {
  const whole = ['fieldwise', encode(app), encode(instance), encode(stack)].join('/');
  if (whole.length <= fieldManagerMaxBytes) return whole;
  const hash = createHash('sha256').update(whole).digest('hex').slice(0, hashLength);
  return `${whole.slice(0, fieldManagerMaxBytes - hashLength - 1)}~${hash}`;
}

/** Percent-encodes code unit by code unit where the text is no valid Unicode, so that no two texts meet. */
function encode(part: string): string {
  return part.replace(/[^A-Za-z0-9._-]/gu, (character) => {
    const code = character.charCodeAt(0);
    if (character.length === 1 && code >= 0xd800 && code <= 0xdfff) return `%u${code.toString(16).toUpperCase()}`;
    return [...Buffer.from(character, 'utf8')].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
  });
}
