import { type ApplyConfiguration, builderTypeOf } from '../../builders/apply-configuration.js';
import { isPlainObject } from '../../builders/values.js';
import { type ErrorLocation, FieldwiseError } from '../../util/error.js';
import type { Json, JsonObject } from '../../util/json.js';
import { maxJsonDepth } from '../../util/max-json-depth.js';
import { isWellFormed } from '../../util/well-formed.js';

/**
 * Converts a declared literal to JSON: builds the builders inside it, and leaves out `undefined` members. Returns containers without such
 * values unchanged.
 *
 * @param exactNumbers a `bigint` is a whole number of a document.
 * @throws FieldwiseError `intent-invalid` with the path of a value that JSON does not have.
 */
export function plainOf(value: unknown, location: ErrorLocation, { exactNumbers = false } = {}): Json {
  return plainIn(value, { location, steps: [], above: [], exactNumbers });
}

/** Returns true if a member of a literal is undefined; builders, which check their own, are not looked into. */
export function hasUndefinedMember(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasUndefinedMember);
  return isPlainObject(value) && Object.values(value).some((member) => member === undefined || hasUndefinedMember(member));
}

/** The position of the walk: the names and indices of the path, and the enclosing containers. */
interface PlainCursor {
  readonly location: ErrorLocation;
  readonly steps: (string | number)[];
  readonly above: object[];
  readonly exactNumbers: boolean;
}

const invalidText = 'A string that is not valid Unicode';
const wholeCharacters = 'Check whether a string was cut inside a character, or whether bytes were read as text.';

function plainIn(value: unknown, cursor: PlainCursor): Json {
  switch (typeof value) {
    case 'string':
      return isWellFormed(value) ? value : fail(invalidText, cursor, wholeCharacters);
    case 'boolean':
      return value;
    case 'number':
      if (!Number.isFinite(value)) return fail(`The number ${value}`, cursor);
      return value === 0 ? 0 : value;
    case 'object':
      return value === null ? null : plainObject(value, cursor);
    case 'bigint':
      return cursor.exactNumbers ? (value as unknown as Json) : fail('A bigint', cursor);
    default:
      return fail(value === undefined ? 'An undefined list item' : `A ${typeof value}`, cursor);
  }
}

function plainObject(value: object, cursor: PlainCursor): Json {
  const { location, above } = cursor;
  if (above.includes(value)) return fail('An object that contains itself', cursor);
  if (above.length > maxJsonDepth) return fail(`An object of more than ${maxJsonDepth} levels`, cursor);
  if (builderTypeOf(value)) {
    const { construct, source } = location;
    const context = { ...(construct === undefined ? {} : { construct }), ...(source === undefined ? {} : { source }) };
    return (value as ApplyConfiguration<string, unknown>).build(context);
  }
  if (value instanceof Date) return fail('A Date', cursor, 'Convert it to a string: `date.toISOString()`.');
  if (!Array.isArray(value) && !isPlainObject(value)) return fail(`An object of class ${value.constructor.name}`, cursor);
  above.push(value);
  const plain = Array.isArray(value) ? plainItems(value, cursor) : plainMembers(value, cursor);
  above.pop();
  return plain;
}

function plainItems(items: readonly unknown[], cursor: PlainCursor): Json {
  let copy: Json[] | undefined;
  for (let index = 0; index < items.length; index++) {
    cursor.steps.push(index);
    const plain = plainIn(items[index], cursor);
    cursor.steps.pop();
    if (!copy && !Object.is(plain, items[index])) copy = items.slice(0, index) as Json[];
    copy?.push(plain);
  }
  return copy ?? (items as readonly Json[]);
}

function plainMembers(object: Readonly<Record<string, unknown>>, cursor: PlainCursor): JsonObject {
  const names = Object.keys(object);
  let members: [string, Json][] | undefined;
  for (const [index, name] of names.entries()) {
    const value = object[name];
    cursor.steps.push(name);
    if (!isWellFormed(name)) return fail('A name that is not valid Unicode', cursor, wholeCharacters);
    const plain = value === undefined ? undefined : plainIn(value, cursor);
    cursor.steps.pop();
    if (!members && (plain === undefined || !Object.is(plain, value))) {
      members = names.slice(0, index).map((before) => [before, object[before] as Json]);
    }
    if (plain !== undefined) members?.push([name, plain]);
  }
  return members ? Object.fromEntries(members) : (object as JsonObject);
}

function fail(what: string, { location, steps }: PlainCursor, next?: string): never {
  const path = steps.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
  throw new FieldwiseError('intent-invalid', 'usage', `${what} cannot be sent to a cluster (${path || '.'})`, {
    location: { ...location, field: path || '.' },
    ...(next === undefined ? {} : { next }),
  });
}
