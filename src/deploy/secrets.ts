import { isJsonObject, type Json } from '../util/json.js';

const masked = '***';
const secretFields = /^\.(data|stringData)(?=[.[]|$)|^\.metadata\.annotations\.kubectl\.kubernetes\.io\/last-applied-configuration$/;

/** Anything that carries the old and new value of one field. */
interface FieldValues {
  /** Path such as `.data.password`. */
  readonly field: string;
  readonly oldValue?: Json;
  readonly newValue?: Json;
}

/** The same with its values hidden where the field belongs to a Secret's content. Nothing that is printed or written may skip this. */
export function maskField<T extends FieldValues>(field: T, object: Json): T {
  const secret = isJsonObject(object) && object.kind === 'Secret' && object.apiVersion === 'v1';
  if (!secret || !secretFields.test(field.field)) return field;
  return {
    ...field,
    ...(field.oldValue === undefined ? {} : { oldValue: maskValue(field.oldValue) }),
    ...(field.newValue === undefined ? {} : { newValue: maskValue(field.newValue) }),
  };
}

/** The shape of a value without its content. */
function maskValue(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(maskValue);
  if (!isJsonObject(value)) return masked;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, member === undefined ? undefined : maskValue(member)]));
}
