import { createHash } from 'node:crypto';

/** The longest field manager that the API server accepts, in bytes. Source: Kubernetes API reference, PatchOptions.fieldManager. */
export const fieldManagerMaxBytes = 128;

const hashLength = 24;

/** The coordinates from which a field manager is derived. */
export interface StackCoordinates {
  readonly app: string;
  readonly instance: string;
  /** Construct path of the stack below the app. */
  readonly stack: string;
}

/**
 * Returns the field manager of a stack: `fieldwise/<app>/<instance>/<stack>`, each part percent-encoded outside `A-Za-z0-9._-`, so that two
 * stacks never share one. A name that exceeds 128 bytes is cut and ends in `~` and a hash of the whole.
 */
export function fieldManagerOf({ app, instance, stack }: StackCoordinates): string {
  const whole = ['fieldwise', encode(app), encode(instance), encode(stack)].join('/');
  if (whole.length <= fieldManagerMaxBytes) return whole;
  const hash = createHash('sha256').update(whole).digest('hex').slice(0, hashLength);
  return `${whole.slice(0, fieldManagerMaxBytes - hashLength - 1)}~${hash}`;
}

/** Percent-encodes. Invalid Unicode is encoded code unit by code unit, so that two texts never share an encoding. */
function encode(part: string): string {
  return part.replace(/[^A-Za-z0-9._-]/gu, (character) => {
    const code = character.charCodeAt(0);
    if (character.length === 1 && code >= 0xd800 && code <= 0xdfff) return `%u${code.toString(16).toUpperCase()}`;
    return [...Buffer.from(character, 'utf8')].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
  });
}
