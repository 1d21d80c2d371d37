import { Schema, Type } from 'js-yaml';
import type { Json } from './json.js';

const prefix = 'tag:yaml.org,2002:';
const text = (value: unknown) => String(value ?? '');

const merge = new Type(`${prefix}merge`, { kind: 'scalar', resolve: (data) => data === '<<' });

const binary = new Type(`${prefix}binary`, { kind: 'scalar', construct: (data) => Buffer.from(text(data), 'base64').toString('utf8') });

/** All other tags are ignored. */
const ignored = ['!', prefix].flatMap((start) => [
  new Type(start, { kind: 'scalar', multi: true, construct: text }),
  new Type(start, { kind: 'sequence', multi: true, construct: (data) => data ?? [] }),
  new Type(start, { kind: 'mapping', multi: true, construct: (data) => data ?? {} }),
]);
const basic = [
  new Type(`${prefix}str`, { kind: 'scalar', construct: text }),
  new Type(`${prefix}seq`, { kind: 'sequence', construct: (data) => data ?? [] }),
  new Type(`${prefix}map`, { kind: 'mapping', construct: (data) => data ?? {} }),
];

/**
 * Returns the types of YAML 1.1 as the server reads them. Source: YAML 1.1, type repository; the rest as observed.
 *
 * @param scalar returns the value of a scalar without quotes.
 */
export function yamlSchemaOf(scalar: (text: string) => Json): Schema {
  const plain = new Type(`${prefix}plain`, { kind: 'scalar', resolve: () => true, construct: scalar });
  // Values with these tags are read as if they had neither tag nor quotes.
  const typed = ['bool', 'float', 'int', 'null'].map(
    (name) => new Type(prefix + name, { kind: 'scalar', construct: (data): Json => scalar(text(data)) }),
  );
  return new Schema({ implicit: [merge, plain], explicit: [...basic, ...typed, binary, ...ignored] });
}
