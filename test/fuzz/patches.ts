import { isJsonObject, type Json, type JsonObject } from '../../src/util/json.js';
import type { Random } from '../corpus/random.js';
import type { Shape } from './fuzz-subject.js';
import { damaged } from './mutate.js';
import { withSymbols } from './planned.js';
import { drawn } from './values.js';

/** Some of the members that a shape allows, some of them null. */
export function mergePatchFor(random: Random, shape: Shape, live: JsonObject | undefined, breaks: boolean): Json {
  if (random.chance(0.004)) return random.pick<Json>([[], 'text', 7]);
  let patch = sparse(random, drawn(random, shape) as JsonObject);
  if (live !== undefined && random.chance(0.4)) patch = { ...patch, ...nullFor(random, live) };
  if (breaks) patch = damaged(random, shape, patch);
  if (random.chance(0.03)) return withMetadata(patch, { resourceVersion: random.pick(['{{resourceVersion}}', '{{stale}}']) });
  if (random.chance(0.015)) return withMetadata(patch, { managedFields: random.pick<Json>([null, [], [{}]]) });
  return patch;
}

/** Operations on what is there, and a few on what is not. */
export function jsonPatchFor(random: Random, shape: Shape, live: JsonObject | undefined, moves: boolean): Json {
  if (random.chance(0.004)) return {};
  const object = structuredClone(live === undefined ? drawn(random, shape) : withSymbols(live)) as Record<string, Json>;
  const { apiVersion: _, kind: __, metadata, ...content } = object;
  const own = isJsonObject(metadata) ? pick(metadata, ['labels', 'annotations', 'finalizers']) : {};
  const all = pointersIn({ ...content, ...(Object.keys(own).length > 0 ? { metadata: own } : {}) }, shape);
  const pointers = all.filter(({ path }) => !/^\/spec\/(?:clusterIP|ipFamil|ports\/\d+\/nodePort)/.test(path));
  const count = random.pick([1, 1, 2, 3]);
  return Array.from({ length: count }, (): JsonObject => {
    if (pointers.length === 0 || random.chance(0.3)) return addition(random, shape);
    const { path, shape: inner, value } = random.pick(pointers);
    const other = random.pick(pointers);
    const wanted = inner === undefined ? value : drawn(random, inner, 2);
    switch (random.below(8)) {
      case 0:
        return { op: 'test', path, value: random.chance(0.9) ? value : wanted };
      case 1:
      case 2:
        return { op: 'remove', path: random.chance(0.06) ? `${path}/none` : path };
      case 3:
        return moves ? { op: random.pick(['copy', 'move']), from: path, path: other.path } : { op: 'test', path, value };
      case 4:
        return {
          op: 'add',
          path: Array.isArray(value) ? `${path}/${random.pick(['-', '0', '1'])}` : path,
          value: itemOf(random, inner) ?? wanted,
        };
      case 5:
        return random.chance(0.2) ? { op: 'replace', path, value: null } : { op: 'replace', path, value: wanted };
      default:
        return { op: 'replace', path: random.chance(0.04) ? `${path}/none` : path, value: wanted };
    }
  });
}

function itemOf(random: Random, shape: Shape | undefined): Json | undefined {
  return shape?.items === undefined ? undefined : drawn(random, shape.items, 2);
}

function addition(random: Random, shape: Shape): JsonObject {
  const names = Object.keys(shape.properties ?? {});
  const name = random.pick(names.length > 0 ? names : ['spec']);
  const inner = shape.properties?.[name] ?? {};
  const below = Object.keys(inner.properties ?? {});
  if (below.length === 0 || random.chance(0.3)) return { op: 'add', path: `/${name}`, value: drawn(random, inner, 1) };
  const member = random.pick(below);
  return { op: 'add', path: `/${name}/${member}`, value: drawn(random, inner.properties?.[member] ?? {}, 2) };
}

interface JsonPointer {
  readonly path: string;
  readonly shape: Shape | undefined;
  readonly value: Json;
}

function pointersIn(value: Json, shape: Shape | undefined, path = ''): JsonPointer[] {
  const own = path === '' ? [] : [{ path, shape, value }];
  if (Array.isArray(value)) return [...own, ...value.flatMap((item, index) => pointersIn(item as Json, shape?.items, `${path}/${index}`))];
  if (!isJsonObject(value)) return own;
  const members = Object.entries(value).flatMap(([name, member]) =>
    pointersIn(
      member as Json,
      shape?.properties?.[name] ?? shape?.additionalProperties,
      `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
    ),
  );
  return [...own, ...members];
}

function sparse(random: Random, value: JsonObject): JsonObject {
  const kept = Object.entries(value).filter(() => random.chance(0.6));
  return Object.fromEntries(
    kept.map(([name, member]) => [
      name,
      random.chance(0.08) ? null : isJsonObject(member) && random.chance(0.6) ? sparse(random, member) : (member as Json),
    ]),
  );
}

/** Null for something that is there. */
function nullFor(random: Random, live: JsonObject): JsonObject {
  const names = Object.keys(live).filter((name) => !['apiVersion', 'kind', 'metadata'].includes(name));
  if (names.length === 0) return {};
  const name = random.pick(names);
  const member = live[name];
  if (!isJsonObject(member) || Object.keys(member).length === 0 || random.chance(0.1)) return { [name]: null };
  return { [name]: { [random.pick(Object.keys(member))]: null } };
}

function withMetadata(patch: JsonObject, more: JsonObject): JsonObject {
  return { ...patch, metadata: { ...(isJsonObject(patch.metadata) ? patch.metadata : {}), ...more } };
}

function pick(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.filter((name) => object[name] !== undefined).map((name) => [name, object[name]]));
}
