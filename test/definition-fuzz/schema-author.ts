import type { Json } from '../../src/util/json.js';
import type { Random } from '../corpus/random.js';
import type { Shape } from '../fuzz/fuzz-subject.js';
import { ExpressionAuthor } from './expression-author.js';

type Editable = { -readonly [Name in keyof Shape]: Shape[Name] } & Record<string, unknown>;

const names = ['a', 'b', 'c', 'd', 'e-f', 'namespace', 'size'];

/** A random structural schema of a spec, with limits that keep most rules within the budget. */
export function drawnSchema(random: Random): Shape {
  const properties = Object.fromEntries(names.filter(() => random.chance(0.6)).map((name) => [name, field(random, 0)]));
  return { type: 'object', properties: { k: { type: 'string', maxLength: 5 } as Shape, ...properties } };
}

/** Random members of the root beside spec and status: limits of the type and the name of an object, and what the root may not say. */
export function drawnRoot(random: Random): Shape {
  const text = (more: object) => ({ type: 'string', ...more }) as Shape;
  const properties = {
    ...(random.chance(0.1) ? { apiVersion: text(random.pick([{ maxLength: 60 }, { pattern: '/v1$' }, { maxLength: 2 }])) } : {}),
    ...(random.chance(0.1) ? { kind: text(random.pick([{ enum: ['Thing'] }, { not: { enum: ['Thing'] } }, { minLength: 9 }])) } : {}),
    ...(random.chance(0.1)
      ? {
          metadata: {
            type: 'object',
            properties: { name: text(random.pick([{ maxLength: 2 }, { pattern: '^o' }, { default: 'x' }])) },
          } as Shape,
        }
      : {}),
  };
  return {
    properties,
    ...(random.chance(0.04) ? random.pick<object>([{ minProperties: 1 }, { not: { required: ['spec'] } }, { enum: [{}] }]) : {}),
  };
}

function field(random: Random, depth: number): Shape {
  const made = random.chance(depth < 2 ? 0.5 : 0) ? nested(random, depth) : scalar(random);
  const alternatives = random.chance(0.12) ? drawnAlternatives(random, made, 0) : {};
  return { ...made, ...alternatives, ...(random.chance(0.08) ? { nullable: true } : {}) };
}

/** One or more of `anyOf`, `oneOf`, `allOf` and `not`, which restrict a schema further. */
function drawnAlternatives(random: Random, shape: Shape, depth: number): object {
  const list = () => Array.from({ length: 1 + random.below(3) }, () => restriction(random, shape, depth));
  const drawn = random.pick<object>([{ anyOf: list() }, { oneOf: list() }, { allOf: list() }, { not: restriction(random, shape, depth) }]);
  return random.chance(0.2) ? { ...drawn, not: restriction(random, shape, depth) } : drawn;
}

function restriction(random: Random, shape: Shape, depth: number): object {
  const inner = depth < 2 && random.chance(0.15) ? drawnAlternatives(random, shape, depth + 1) : {};
  const typed = random.chance(0.01) ? { type: 'string' } : {};
  return { ...limitOf(random, shape, depth), ...inner, ...typed };
}

function limitOf(random: Random, shape: Shape, depth: number): object {
  const { type, properties = {}, items } = shape as Editable;
  if (type === 'string')
    return random.pick<object>([{ pattern: '^[a-b]' }, { enum: ['a', 'b'] }, { maxLength: 2 }, { minLength: 2 }, { format: 'date' }]);
  if (type === 'integer' || type === 'number')
    return random.pick<object>([{ minimum: 2 }, { maximum: 3 }, { multipleOf: 2 }, { enum: [1, 2] }]);
  if (type === 'array') {
    const below = depth < 2 && items !== undefined ? [{ items: restriction(random, items as Shape, depth + 1) }] : [];
    return random.pick<object>([{ minItems: 2 }, { maxItems: 1 }, ...below]);
  }
  if (type !== 'object' && Object.keys(properties).length === 0) return random.pick<object>([{ enum: [true, 1, 'a'] }, { pattern: 'a' }]);
  const names = Object.keys(properties);
  const chosen = names.filter(() => random.chance(0.4));
  const below = chosen.map((name) => [name, restriction(random, properties[name] as Shape, depth + 1)] as const);
  return random.pick<object>([
    { required: chosen },
    { minProperties: 2 },
    ...(depth < 2 ? [{ properties: Object.fromEntries(below) }] : []),
  ]);
}

/** A resource inside of another, with defaults that may not fit. */
function embedded(random: Random): Shape {
  const text = (examples: readonly string[], value: Json) =>
    ({ type: 'string', examples, ...(random.chance(0.4) ? { default: value } : {}) }) as Shape;
  const name = text(['a', 'b', '/'], random.pick(['a', '/', 'x']));
  const metadata = {
    type: 'object',
    properties: { name, unknown: text(['a'], 'u') },
    ...(random.chance(0.2) ? { default: { name: 'n', odd: 'o' } } : {}),
  };
  return {
    type: 'object',
    'x-kubernetes-embedded-resource': true,
    properties: {
      apiVersion: text(['v1', 'a/b/c', ''], random.pick(['v1', 'g/v1'])),
      kind: text(['A', 'b-', ''], 'Kind'),
      ...(random.chance(0.7) ? { metadata } : {}),
      a: scalar(random),
    },
    ...(random.chance(0.2)
      ? { default: random.pick<object>([{ kind: 'A' }, { apiVersion: 'v1', kind: 'A', metadata: { unknown: 1 } }]) }
      : {}),
    ...(random.chance(0.2) ? { 'x-kubernetes-preserve-unknown-fields': true } : {}),
  } as unknown as Shape;
}

function scalar(random: Random): Shape {
  const formats: readonly Shape[] = [
    { format: 'duration', examples: ['1h', '1m30s', '0s', 'x'] },
    { format: 'date-time', examples: ['2001-01-01T00:00:00Z', '2001-02-01T00:00:00.5Z', '2001-13-01'] },
    { format: 'date', examples: ['2001-01-01', '2001-1-1'] },
    { format: 'byte', examples: ['AQ==', 'YWI=', '!'] },
    { format: 'ipv4', examples: ['10.0.0.1', '300.0.0.1'] },
    { format: 'uuid', examples: ['00000000-0000-4000-8000-000000000001', 'x'] },
    { format: 'quantity', examples: ['1Gi', 'x'] },
  ];
  switch (random.below(8)) {
    case 0:
    case 1:
    case 2:
      return {
        type: 'string',
        maxLength: random.pick([3, 10, 50]),
        examples: ['a', 'b', 'abc', '', 'é', 'abcd', '1Gi', '10.0.0.1'],
      } as Shape;
    case 3:
      return { type: 'string', ...random.pick(formats), ...(random.chance(0.7) ? { maxLength: 40 } : {}) } as Shape;
    case 4:
      return { type: 'boolean' };
    case 5:
      return { type: 'number' };
    case 6:
      return random.chance(0.3) ? { 'x-kubernetes-int-or-string': true } : { type: 'integer' };
    default:
      return { type: 'integer', ...(random.chance(0.3) ? { format: random.pick(['int32', 'int64']) } : {}) };
  }
}

function nested(random: Random, depth: number): Shape {
  if (random.chance(0.06)) return embedded(random);
  if (random.chance(0.2)) return withoutType(random, typed(random, depth), depth);
  return typed(random, depth);
}

/** A node that takes any value, but describes lists or maps. The server admits neither a list type nor a map type in its place. */
function withoutType(random: Random, shape: Shape, depth: number): Shape {
  const {
    type,
    'x-kubernetes-list-type': _,
    'x-kubernetes-list-map-keys': __,
    'x-kubernetes-map-type': ___,
    ...described
  } = shape as Editable;
  const more = random.chance(0.7)
    ? {}
    : type === 'array'
      ? { properties: members(random, depth + 1).properties }
      : { items: scalar(random) };
  const free = random.chance(0.95) ? { 'x-kubernetes-preserve-unknown-fields': true } : { 'x-kubernetes-int-or-string': true };
  return { ...described, ...more, ...free } as Shape;
}

function typed(random: Random, depth: number): Shape {
  switch (random.below(6)) {
    case 0:
      return { type: 'object', maxProperties: 4, additionalProperties: scalar(random) } as Shape;
    case 1:
    case 2:
      return limited(random, { type: 'array', items: scalar(random), 'x-kubernetes-list-type': random.pick(['set', 'atomic', 'set']) });
    case 3:
      return limited(random, keyed(random, depth));
    default:
      return members(random, depth);
  }
}

function limited(random: Random, shape: Shape): Shape {
  return random.chance(0.85) ? ({ ...shape, maxItems: random.pick([2, 3, 5]) } as Shape) : shape;
}

function members(random: Random, depth: number): Shape {
  const properties = Object.fromEntries(names.filter(() => random.chance(0.4)).map((name) => [name, field(random, depth + 1)]));
  return {
    type: 'object',
    properties,
    ...(random.chance(0.2) ? { 'x-kubernetes-map-type': random.pick(['atomic', 'granular']) } : {}),
    ...(random.chance(0.1) ? { 'x-kubernetes-preserve-unknown-fields': true } : {}),
  } as Shape;
}

function keyed(random: Random, depth: number): Shape {
  const item = members(random, depth + 1);
  const key = { type: 'string', maxLength: 5, examples: ['a', 'b', 'c'] } as Shape;
  return {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['k'],
    items: { ...item, properties: { ...item.properties, k: key }, required: ['k'] },
  };
}

/** A schema with some of its limits, list types, defaults and rules changed. */
export function changedSchema(random: Random, schema: Shape, likelihood: number): Shape {
  const copy = structuredClone(schema) as Editable;
  for (const node of nodesOf(copy)) if (random.chance(likelihood)) change(random, node);
  return copy;
}

function change(random: Random, node: Editable): void {
  const { type, items } = node;
  const loses = (type === 'object' || type === 'array') && node['x-kubernetes-embedded-resource'] !== true && random.chance(0.1);
  if (isUntyped(node)) changeUntyped(random, node);
  else if (loses) replace(node, withoutType(random, { ...node } as Shape, 2));
  else if (type === 'array') changeList(random, node, items as Editable);
  else if (type === 'string') changeString(random, node);
  else if (type === 'integer' || type === 'number')
    put(
      random,
      node,
      random.pick([
        ['minimum', 1],
        ['maximum', 2],
        ['multipleOf', 2],
        ['enum', [1, 2]],
      ]),
    );
  else if (type === 'object' && node.properties !== undefined) changeObject(random, node);
  else if (type === 'object')
    put(
      random,
      node,
      random.pick([
        ['maxProperties', 1],
        ['minProperties', 1],
      ]),
    );
}

function isUntyped(node: Editable): boolean {
  return node.type === undefined && node['x-kubernetes-preserve-unknown-fields'] === true;
}

function replace(node: Editable, shape: Shape): void {
  for (const name of Object.keys(node)) delete node[name];
  Object.assign(node, shape);
}

/** Gives a node a type again, or changes what it says of any value. */
function changeUntyped(random: Random, node: Editable): void {
  const types = [
    ...(node.items === undefined ? [] : ['array']),
    ...(node.items === undefined || node.properties !== undefined ? ['object'] : []),
  ];
  const choices: readonly (readonly [string, unknown])[] = [
    ['type', random.pick(types)],
    ['minProperties', 1],
    ['maxItems', 1],
    ['nullable', true],
    ['default', random.pick<unknown>([{}, [], 1])],
    ['enum', [1, {}, []]],
  ];
  put(random, node, random.pick(choices));
}

function put(random: Random, node: Editable, [name, value]: readonly [string, unknown] | readonly (string | unknown)[]): void {
  if (random.chance(0.3)) delete node[String(name)];
  else node[String(name)] = value;
}

function changeString(random: Random, node: Editable): void {
  const choices: readonly (readonly [string, unknown])[] = [
    ['maxLength', random.pick([1, 3, 20])],
    ['minLength', 1],
    ['pattern', '^[a-b]*$'],
    ['enum', ['a', 'b', '']],
    ['default', 'a'],
    ['nullable', true],
  ];
  put(random, node, random.pick(choices));
}

function changeObject(random: Random, node: Editable): void {
  const names = Object.keys(node.properties ?? {});
  const choices: readonly (readonly [string, unknown])[] = [
    ['x-kubernetes-map-type', random.pick(['atomic', 'granular'])],
    ['required', names.filter((name) => name === 'k' || random.chance(0.3))],
    ['default', {}],
    ['maxProperties', 2],
    ['x-kubernetes-preserve-unknown-fields', true],
  ];
  put(random, node, random.pick(choices));
}

function changeList(random: Random, node: Editable, items: Editable): void {
  if (random.chance(0.4)) {
    put(
      random,
      node,
      random.pick([
        ['maxItems', 1],
        ['minItems', 1],
        ['maxItems', 4],
      ]),
    );
    return;
  }
  delete node['x-kubernetes-list-map-keys'];
  delete node['x-kubernetes-list-type'];
  const isObject = items.type === 'object' && items.properties?.k !== undefined;
  const listType = random.pick([
    'atomic',
    undefined,
    isObject ? 'map' : 'set',
    isObject ? 'map' : 'set',
    random.chance(0.1) ? 'set' : 'atomic',
  ]);
  if (listType !== undefined) node['x-kubernetes-list-type'] = listType;
  if (listType === 'map') {
    node['x-kubernetes-list-map-keys'] = ['k'];
    items.required = ['k'];
  }
}

/** A schema with random rules at some of its nodes; those that were there stay, mostly. */
export function withRules(random: Random, schema: Shape, likelihood: number): Shape {
  const copy = structuredClone(schema) as Editable;
  for (const node of nodesOf(copy)) {
    const kept = ((node['x-kubernetes-validations'] ?? []) as unknown[]).filter(() => random.chance(0.8));
    // A rule of a node without a type is refused.
    const added = random.chance(isUntyped(node) ? 0.02 : likelihood)
      ? Array.from({ length: 1 + random.below(3) }, () => rule(random, node))
      : [];
    if (kept.length + added.length === 0) delete node['x-kubernetes-validations'];
    else node['x-kubernetes-validations'] = [...kept, ...added];
  }
  return copy;
}

function rule(random: Random, node: Editable): object {
  const isTransition = random.chance(0.25);
  const isOptional = isTransition && random.chance(0.3);
  const author = new ExpressionAuthor(random, node, isTransition && !isOptional ? ['self', 'oldSelf'] : ['self']);
  const reasons = ['FieldValueInvalid', 'FieldValueForbidden', 'FieldValueRequired', 'FieldValueDuplicate'];
  const paths = Object.keys(node.properties ?? {}).map((name) => (/^\w+$/.test(name) ? `.${name}` : `['${name}']`));
  const more = {
    ...(random.chance(0.2) ? { reason: random.pick(reasons) } : {}),
    ...(random.chance(0.2) ? { message: random.pick(['short', ' padded ', 'two words']) } : {}),
    ...(paths.length > 0 && random.chance(0.2) ? { fieldPath: random.pick(paths) } : {}),
    ...(isOptional ? { optionalOldSelf: true } : random.chance(0.02) ? { optionalOldSelf: random.chance(0.5) } : {}),
  };
  if (isOptional) return { rule: `oldSelf.hasValue() || ${author.expression('bool')}`, ...more };
  if (random.chance(0.04)) return { rule: author.broken(), ...more };
  if (random.chance(0.4)) return shownValue(random, author, more);
  const messageExpression = random.chance(0.2) ? { messageExpression: author.expression('string') } : {};
  return { rule: author.expression('bool'), ...messageExpression, ...more };
}

/** A rule that is broken by any value and says which it had. */
function shownValue(random: Random, author: ExpressionAuthor, more: object): object {
  const type = random.pick([
    'int',
    'string',
    'bool',
    'double',
    'list(int)',
    'list(string)',
    'map(string)',
    'duration',
    'timestamp',
    'uint',
    'bytes',
  ]);
  const shown = `'%s'.format([${author.expression(type)}])`;
  return { ...more, rule: `${shown} == 'x'`, messageExpression: `'=' + ${shown}` };
}

function nodesOf(schema: Editable): Editable[] {
  const inner = [...Object.values(schema.properties ?? {}), schema.items, schema.additionalProperties].filter((each) => each !== undefined);
  return [schema, ...inner.flatMap((each) => nodesOf(each as Editable))];
}

/** A schema as a definition has it: without the hints of the generator. */
export function sentSchema(schema: Shape): Json {
  return JSON.parse(JSON.stringify(schema, (name, value) => (name === 'examples' || name === 'likely' ? undefined : value)));
}
