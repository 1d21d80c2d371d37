import { type ApplyConfiguration, builderTypeOf } from '../builders/apply-configuration.js';
import { isPlainObject } from '../builders/values.js';
import { type ErrorPlace, FieldwiseError } from '../util/error.js';
import type { Json, JsonObject } from '../util/json.js';

/**
 * The JSON of what a program declared: builders inside literals are built, `undefined` members left out.
 *
 * @throws FieldwiseError `intent-invalid` naming the path of a value that JSON does not have.
 */
export function plainOf(value: unknown, place: ErrorPlace, path = '', above: readonly unknown[] = []): Json {
  const fail = (what: string, next?: string): never => {
    throw new FieldwiseError('intent-invalid', 'usage', `${what} cannot be sent to a cluster`, {
      place: { ...place, field: path || '.' },
      ...(next === undefined ? {} : { next }),
    });
  };
  switch (typeof value) {
    case 'string':
      return /\p{Surrogate}/u.test(value) ? fail('A string that is no valid Unicode') : value;
    case 'boolean':
      return value;
    case 'number':
      if (!Number.isFinite(value)) return fail(`The number ${value}`);
      return value === 0 ? 0 : value;
    case 'object':
      break;
    default:
      return fail(value === undefined ? 'An undefined list item' : `A ${typeof value}`);
  }
  if (value === null) return null;
  if (above.includes(value)) return fail('An object that contains itself');
  const inside = [...above, value];
  if (Array.isArray(value)) return value.map((item, index) => plainOf(item, place, `${path}[${index}]`, inside));
  if (builderTypeOf(value)) {
    const { construct, source } = place;
    const context = { ...(construct === undefined ? {} : { construct }), ...(source === undefined ? {} : { source }) };
    return (value as ApplyConfiguration<string, unknown>).build(context);
  }
  if (value instanceof Date) return fail('A Date', 'Write it as text: `date.toISOString()`.');
  if (!isPlainObject(value)) return fail(`An object of class ${value.constructor.name}`);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, plainOf(member, place, `${path}.${name}`, inside)])) as JsonObject;
}
