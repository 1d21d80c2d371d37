import type { SchemaStep } from '../src/schema/index.js';
import { parseSchemaPath } from '../src/schema/index.js';
import { FieldwiseError } from '../src/util/error.js';

/** A list type that a user adds for one path of one kind, for a list whose CRD declares none. */
export interface ListTypeOverlay {
  /** The original text, for messages. */
  readonly text: string;
  /** `Gateway`, `Gateway.edge.example.com` or `Gateway.edge.example.com/v1`. */
  readonly kind: string;
  readonly group?: string;
  readonly version?: string;
  /** Such as `.spec.listeners[].routes`. */
  readonly path: string;
  readonly steps: readonly SchemaStep[];
  readonly type: 'map' | 'set' | 'atomic';
  /** Of `map`, at least one. */
  readonly keys: readonly string[];
}

/**
 * Reads `KIND:PATH=TYPE`, such as `Gateway:.spec.listeners=map[port,protocol]`, `…=set` or `…=atomic`.
 *
 * @throws FieldwiseError `list-type-invalid`.
 */
export function parseListType(text: string): ListTypeOverlay {
  const equals = text.lastIndexOf('=');
  const kindAndPath = /^([A-Za-z][A-Za-z0-9]*)(?:\.([a-z0-9.-]+))?(?:\/([a-z0-9]+))?:(.+)$/s.exec(text.slice(0, Math.max(0, equals)));
  const kindOfList = /^(map\[([^\]]*)\]|set|atomic)$/.exec(text.slice(equals + 1));
  if (kindAndPath === null || kindOfList === null) throw invalid(text, 'it is not KIND:PATH=TYPE');
  const [, kind = '', group, version, path = ''] = kindAndPath;
  const [, type = '', keyText] = kindOfList;
  const keys = keyText === undefined ? [] : keyText.split(',').map((key) => key.trim());
  if (keyText !== undefined && keys.some((key) => key === '')) throw invalid(text, 'a list of type map has at least one key');
  if (new Set(keys).size < keys.length) throw invalid(text, 'a key occurs twice');
  return {
    text,
    kind,
    ...(group === undefined ? {} : { group }),
    ...(version === undefined ? {} : { version }),
    path,
    steps: stepsOf(path, text),
    type: keyText === undefined ? (type as 'set' | 'atomic') : 'map',
    keys,
  };
}

function stepsOf(path: string, text: string): readonly SchemaStep[] {
  try {
    return parseSchemaPath(path);
  } catch (error) {
    throw invalid(text, (error as Error).message);
  }
}

function invalid(text: string, what: string): FieldwiseError {
  return new FieldwiseError('list-type-invalid', 'usage', `The list type ${JSON.stringify(text)} cannot be read: ${what}`, {
    next: "Write it as 'Gateway:.spec.listeners=map[port]', with =set or =atomic for the other list types",
  });
}
