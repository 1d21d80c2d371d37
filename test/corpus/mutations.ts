import type { Random } from './random.js';

type Node = Record<string, unknown>;

/** Text that ends comments, strings and templates, and would leave a mark if any of it ran. */
const poison = `*/ globalThis.poisoned = 1; /* ' " \` \${globalThis.poisoned = 1} \\ \u2028 \r\n // @ts-nocheck`;

const oddNames = [
  poison,
  '__proto__',
  'constructor',
  'toString',
  '',
  ' ',
  'a\nb',
  "it's",
  '$ref',
  `\${x}`,
  'class',
  'metadata',
  'status',
  '日本',
  '-x',
  '1',
  'a'.repeat(500),
];
const oddValues: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1e308,
  '',
  poison,
  [],
  {},
  [null],
  [[]],
  { type: 'object' },
  'object',
  'array',
  { $ref: '#' },
];
// biome-ignore format: a list of words
const schemaWords = [
  'type', 'properties', 'items', 'additionalProperties', 'required', 'enum', 'default', 'format', 'nullable', 'pattern', 'minimum', 'maxItems',
  'oneOf', 'anyOf', 'allOf', 'not', '$ref', 'description', 'x-kubernetes-list-type', 'x-kubernetes-list-map-keys', 'x-kubernetes-map-type',
  'x-kubernetes-int-or-string', 'x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource', 'x-kubernetes-validations',
];
// biome-ignore format: a list of words
const wordValues: readonly unknown[] = [
  'object', 'array', 'string', 'integer', 'number', 'boolean', 'map', 'set', 'atomic', 'granular', 'date-time', 'int-or-string', 'byte',
  true, ['name'], ['a', 'b'], [poison], { type: 'string' }, { type: 'array' }, { type: 'object', properties: { name: { type: 'string' } } },
  [{ required: ['a'] }, { required: ['b'] }], [{ rule: poison, message: poison }],
];

/** Describes a mutation, for the report of a failure. */
export type Mutation = (document: unknown, random: Random) => string;

/** Changes at one place of a document, each the kind of damage or malice that a file can hold. */
export const mutations: readonly Mutation[] = [
  replaceValue,
  replaceValue,
  deleteMember,
  renameMember,
  addWord,
  addWord,
  addWord,
  swap,
  nest,
  repeat,
  changeText,
];

function replaceValue(document: unknown, random: Random): string {
  const { parent, key } = randomCursor(document, random);
  put(parent, key, structuredClone(random.pick(oddValues)));
  return `value of ${key} replaced`;
}

function deleteMember(document: unknown, random: Random): string {
  const { parent, key } = randomCursor(document, random);
  if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else delete parent[key];
  return `${key} deleted`;
}

function renameMember(document: unknown, random: Random): string {
  const { parent, key } = randomCursor(document, random);
  if (Array.isArray(parent)) return 'nothing';
  const value = parent[key];
  delete parent[key];
  put(parent, random.pick(oddNames), value);
  return `${key} renamed`;
}

function addWord(document: unknown, random: Random): string {
  const node = random.pick(nodesOf(document));
  const word = random.pick(schemaWords);
  put(node, word, structuredClone(random.pick(random.chance(0.3) ? oddValues : wordValues)));
  return `${word} added`;
}

function swap(document: unknown, random: Random): string {
  const [left, right] = [randomCursor(document, random), randomCursor(document, random)];
  const value = structuredClone(left.parent[left.key as never]);
  put(left.parent, left.key, structuredClone(right.parent[right.key as never]));
  put(right.parent, right.key, value);
  return `${left.key} and ${right.key} swapped`;
}

function nest(document: unknown, random: Random): string {
  const { parent, key } = randomCursor(document, random);
  let value = structuredClone(parent[key as never]) as unknown;
  const depth = random.below(random.chance(0.1) ? 3000 : 30);
  for (let level = 0; level < depth; level++)
    value = random.chance(0.5) ? { type: 'object', properties: { d: value } } : { type: 'array', items: value };
  put(parent, key, value);
  return `${key} nested ${depth} deep`;
}

function repeat(document: unknown, random: Random): string {
  const node = random.pick(nodesOf(document));
  const count = random.below(random.chance(0.05) ? 2000 : 40);
  const properties: Node = {};
  for (let index = 0; index < count; index++)
    put(properties, random.chance(0.02) ? random.pick(oddNames) : `p${index}`, { type: 'string' });
  put(node, 'properties', properties);
  return `${count} properties`;
}

function changeText(document: unknown, random: Random): string {
  const texts = cursorsOf(document).filter(({ parent, key }) => typeof parent[key as never] === 'string');
  if (texts.length === 0) return 'nothing';
  const { parent, key } = random.pick(texts);
  const text = parent[key as never] as string;
  const at = random.below(text.length + 1);
  put(parent, key, text.slice(0, at) + random.pick([...oddNames, 'x', '/', '.', '-']) + text.slice(at));
  return `text of ${key} changed`;
}

interface NodeCursor {
  readonly parent: Node;
  readonly key: string;
}

function randomCursor(document: unknown, random: Random): NodeCursor {
  const cursors = cursorsOf(document);
  return cursors.length === 0 ? { parent: {}, key: 'none' } : random.pick(cursors);
}

function cursorsOf(document: unknown): readonly NodeCursor[] {
  return nodesOf(document, true).flatMap((parent) => Object.keys(parent).map((key) => ({ parent, key })));
}

/** Objects of a document, and its lists where asked for; without recursion, because mutations nest deep. */
function nodesOf(document: unknown, lists = false): readonly Node[] {
  const nodes: Node[] = [];
  const open: unknown[] = [document];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null) continue;
    if (lists || !Array.isArray(value)) nodes.push(value as Node);
    open.push(...Object.values(value));
  }
  return nodes.length === 0 ? [{}] : nodes;
}

function put(target: Node, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}
