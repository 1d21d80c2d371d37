import { isJsonObject, type Json, type JsonObject } from '../../../util/json.js';
import { quote } from '../../../util/quote.js';
import { wordDuration } from '../../../util/word-duration.js';
import { dynType, listOf } from '../types/cel-type.js';
import { durationOf, parseDuration, parseTimestamp } from '../values/cel-time.js';
import { CelList, CelMap, type CelValue, EvaluationError, type ListSemantics } from '../values/value.js';
import type { SchemaType } from './schema-type.js';

/** Returns the value of JSON that a schema describes; its members are converted when they are asked for. @throws EvaluationError */
export function jsonValue(json: Json, type: SchemaType): CelValue {
  if (json === null) return null;
  switch (type.type.kind) {
    case 'list':
      return Array.isArray(json) ? listValue(json as readonly Json[], type) : misfit('list', json);
    case 'map':
      return isJsonObject(json) ? new JsonMap(json, type.element as SchemaType) : misfit('map', json);
    case 'object':
      return isJsonObject(json) ? new JsonObjectValue(json, type) : misfit('object', json);
    case 'int':
      return typeof json === 'number' || typeof json === 'bigint' ? BigInt(json) : misfit('int', json);
    case 'double':
      return typeof json === 'number' || typeof json === 'bigint' ? Number(json) : misfit('double', json);
    case 'bool':
      return typeof json === 'boolean' ? json : misfit('bool', json);
    case 'dyn':
      return dynamicValue(json);
    default:
      return typeof json === 'string' ? textValue(json, type) : noText(json);
  }
}

/** The schema of values that nothing describes. */
const anything: SchemaType = { type: dynType, schema: {}, maxElements: 0, minSize: 0 };
const listOfAnything: SchemaType = { ...anything, type: listOf(dynType), element: anything };

/** Returns the value of JSON without a schema: a whole number is an int, and every object a map. */
export function dynamicValue(json: Json): CelValue {
  if (typeof json === 'number') return Number.isInteger(json) ? BigInt(json) : json;
  if (typeof json !== 'object' || json === null) return json;
  return Array.isArray(json) ? listValue(json as readonly Json[], listOfAnything) : new JsonMap(json as JsonObject, anything);
}

function misfit(kind: string, json: Json): never {
  throw new EvaluationError(`invalid data, expected a ${kind}, got ${typeof json}`);
}

/** A list passes for a text with a format. Source: observed. */
function noText(json: Json): never {
  throw new EvaluationError(`invalid data, expected string, got ${Array.isArray(json) ? '[]interface {}' : typeof json}`);
}

function textValue(text: string, { type }: SchemaType): CelValue {
  switch (type.kind) {
    case 'bytes':
      return Uint8Array.from(Buffer.from(text, 'base64'));
    case 'duration':
      return durationValue(text);
    case 'timestamp':
      return parseTimestamp(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text) ?? failed(unreadTime(text));
    default:
      return text;
  }
}

/** Reads what the format `duration` allows: also numbers with units in words, which no conversion of an expression reads. */
function durationValue(text: string): CelValue {
  const known = parseDuration(text);
  if (known !== undefined) return known;
  const words = wordDuration(text);
  return (words === undefined ? undefined : durationOf(words)) ?? failed(`Invalid duration ${text}`);
}

/** Says why a text that the format `date-time` allows cannot be read as a time: with the last layout that the server tries, which has no zone. */
function unreadTime(text: string): string {
  const layout = '2006-01-02T15:04:05';
  const local = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d+)?/.exec(text)?.[0];
  const [date = ''] = /^\d{4}-\d\d-\d\d/.exec(text) ?? [];
  const rest = quote(text.slice(local?.length ?? date.length));
  const reason = local === undefined ? ` as "${layout}": cannot parse ${rest} as "${date === '' ? '2006' : 'T'}"` : `: extra text: ${rest}`;
  return `Invalid date-time formatted string ${text}: parsing time ${quote(text)}${reason}`;
}

function failed(message: string): never {
  throw new EvaluationError(message);
}

function listValue(items: readonly Json[], { schema, element }: SchemaType): CelList {
  return new CelList(() => items.map((item) => jsonValue(item, element as SchemaType)), semanticsOf(schema), items.length);
}

function semanticsOf(schema: JsonObject): ListSemantics | undefined {
  const keys = schema['x-kubernetes-list-map-keys'];
  if (schema['x-kubernetes-list-type'] === 'set') return { kind: 'set' };
  return schema['x-kubernetes-list-type'] === 'map' && Array.isArray(keys) ? { kind: 'map', keys: keys as readonly string[] } : undefined;
}

/** A map of JSON, whose values have one schema. */
class JsonMap extends CelMap {
  readonly objectName = undefined;
  readonly #json: JsonObject;
  readonly #element: SchemaType;
  #keys: readonly string[] | undefined;

  constructor(json: JsonObject, element: SchemaType) {
    super();
    this.#json = json;
    this.#element = element;
  }

  get(key: CelValue): CelValue | undefined {
    if (typeof key !== 'string' || !Object.hasOwn(this.#json, key)) return undefined;
    const value = this.#json[key];
    return value === undefined ? undefined : jsonValue(value, this.#element);
  }

  keys(): readonly string[] {
    this.#keys ??= Object.keys(this.#json).filter((key) => this.#json[key] !== undefined);
    return this.#keys;
  }

  get size(): number {
    return this.keys().length;
  }
}

/** An object of JSON with declared properties. Members that no property declares are not there. */
class JsonObjectValue extends CelMap {
  readonly objectName: string;
  readonly #json: JsonObject;
  readonly #type: SchemaType;

  constructor(json: JsonObject, type: SchemaType) {
    super();
    this.objectName = type.type.name;
    this.#json = json;
    this.#type = type;
  }

  get(field: CelValue): CelValue | undefined {
    if (typeof field !== 'string') return undefined;
    const property = this.#type.properties?.get(field);
    if (property === undefined || !Object.hasOwn(this.#json, property)) return undefined;
    const value = this.#json[property];
    // A field that is null is not set. Source: observed.
    return value === undefined || value === null ? undefined : jsonValue(value, this.#type.fields?.get(field) as SchemaType);
  }

  keys(): readonly string[] {
    const { properties } = this.#type;
    return properties === undefined
      ? []
      : [...properties].filter(([, property]) => (this.#json[property] ?? null) !== null).map(([field]) => field);
  }

  get size(): number {
    return this.keys().length;
  }

  override has(field: CelValue): boolean {
    const property = typeof field === 'string' ? this.#type.properties?.get(field) : undefined;
    if (property === undefined || !Object.hasOwn(this.#json, property) || (this.#json[property] ?? null) === null) return false;
    // A value that does not fit its schema is an error here, too. Source: observed.
    return this.get(field) !== undefined;
  }
}
