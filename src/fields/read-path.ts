import { pathStepsOf } from './path-steps.js';

/** The forms of a path that a reader accepts, besides its syntax. */
export interface PathOptions {
  /** Fields that exist: a name with special characters needs no brackets if one of them has it. */
  readonly known?: Iterable<string>;
  /** True if `[*]` is any item of a list. @default false */
  readonly anyItem?: boolean;
}

/** The step of a path that is any item of a list. */
export const anyItem = '[*]';

/**
 * Reads a path that a person wrote. Returns it with its leading dot, as the server writes it, or else the text that was expected, such as for
 * `.spec[`, which no field could ever match.
 */
export function readPath(
  text: string,
  { known = [], anyItem: takesAnyItem = false }: PathOptions = {},
): { readonly path: string } | { readonly expected: string } {
  if (typeof text !== 'string' || text === '') return { expected: "a path such as '.spec.replicas'" };
  const names = [...text.matchAll(nameInBrackets)].map(([step]) => nameIn(step));
  if (names.includes(undefined)) return { expected: 'a name in brackets as a JSON text, such as \'.data["app.yaml"]\'' };
  // A name in brackets is the same as one after a dot.
  const path = withDot(text.replaceAll(nameInBrackets, () => `.${names.shift()}`));
  const steps = pathStepsOf(withDot(text.replaceAll(nameInBrackets, '.name')));
  if (steps.some((step) => /^\[\d+\]$/.test(step)))
    return { expected: 'the key of an item and not its index, such as `.spec.ports[port=80]`' };
  for (const field of known) if (field === path || field.startsWith(`${path}.`) || field.startsWith(`${path}[`)) return { path };
  const isStep = (step: string) => (takesAnyItem && step === anyItem) || (step.startsWith('[') ? item : fieldNames).test(step);
  if (steps.every(isStep)) return { path };
  return { expected: `a path such as '.spec.ports[port=80].name', and a name with special characters in brackets, such as '.data["a."]'` };
}

const nameInBrackets = /\["(?:[^"\\]|\\.)*"\]/g;

/** `.spec.template`; a part is not empty, and has no brackets and no spaces around it. */
const fieldNames = /^(?:\.[^\s.[\]](?:[^.[\]]*[^\s.[\]])?)+$/;

/** `[port=80,protocol="TCP"]`, whose texts need no quotes, or `[="example.com/a"]`, whose texts do. */
const item =
  /^\[(?:=(?:"(?:[^"\\]|\\.)*"|true|false|null|-?\d[\d.e+-]*)|[^=,"[\]]+=(?:"(?:[^"\\]|\\.)*"|[^,"[\]]+)(?:,[^=,"[\]]+=(?:"(?:[^"\\]|\\.)*"|[^,"[\]]+))*)\]$/;

function withDot(path: string): string {
  return path.startsWith('.') || path.startsWith('[') ? path : `.${path}`;
}

function nameIn(step: string): string | undefined {
  try {
    return JSON.parse(step.slice(1, -1)) as string;
  } catch {
    return undefined;
  }
}
