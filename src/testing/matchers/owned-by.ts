import { nearest } from '../../builders/nearest.js';
import { formatPath, membersOf, resolvePath, valueAt } from '../../fields/index.js';
import { metadataOf } from '../../fields/object.js';
import { type ManagedFieldsEntry, managedFieldsOf, ownedFields, ownersAt, ownerText, recordedFieldsOf } from '../../ownership/index.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import { wrongUse } from '../wrong-use.js';
import { type FieldManager, managerOf } from './field-manager.js';
import { fieldPath, withItemKeys } from './field-path.js';
import { type MatchResult, section, valueText } from './match-result.js';

/**
 * Passes if a manager owns a field of an object, or owns a container of it as a whole.
 *
 * @throws FieldwiseError `option-invalid` for anything but an object with managedFields.
 */
export function matchOwnedBy(received: unknown, field: string, owner: FieldManager): MatchResult {
  const manager = managerOf(owner);
  const object = requireLiveObject(received);
  const owned = ownedPaths(object);
  const unowned = ownedFields(object).map((one) => one.field);
  const path = withItemKeys(fieldPath(field, [...owned, ...unowned]), owned);
  const owners = ownersAt(object, path);
  const pass = owners.some((entry) => entry.manager === manager);
  const negation = pass ? '' : 'not ';
  return {
    pass,
    message: () =>
      `${objectTextOf(object)}: ${path} is ${negation}owned by ${manager}.${section('Owners of the field:', owners.map(ownerLine))}${details(object, path, manager, pass)}`,
  };
}

function details(object: JsonObject, path: string, manager: string, pass: boolean): string {
  const fields = ownedFields(object);
  const resolved = resolvePath(path, object);
  const value = resolved && valueAt(object, resolved);
  const valueLines = value === undefined ? [] : [valueText(value)];
  if (pass) return section('Its value:', valueLines);
  const below = fields.filter(({ field, owners }) => owners.length > 0 && (field.startsWith(`${path}.`) || field.startsWith(`${path}[`)));
  const belowLines = below.map(({ field, owners }) => `${field}: ${owners.map(ownerText).join(', ')}`);
  if (ownersAt(object, path).length > 0) return section('Its value:', valueLines) + ownedText(object, manager);
  if (below.length > 0) return section('Nobody owns the field itself. Fields below it have owners:', belowLines);
  const absence =
    value === undefined
      ? `The object has no such field${nearest(
          path,
          fields.map(({ field }) => field),
        )}.`
      : 'Nobody owns it.';
  return `\n\n${absence}${section('Its value:', valueLines)}${ownedText(object, manager)}`;
}

/** The fields of the manager, else the managers of the object. */
function ownedText(object: JsonObject, manager: string): string {
  const entries = managedFieldsOf(object);
  const own = entries.filter((entry) => entry.manager === manager);
  if (own.length === 0) return section(`${manager} owns no field of the object. Its managers:`, entries.map(ownerLine));
  const paths = own.flatMap(({ fields }) => membersOf(fields).filter(({ leaf }) => leaf)).map((member) => formatPath(member.path));
  return section(`Fields that ${manager} owns:`, [...new Set(paths)]);
}

function ownedPaths(object: JsonObject): readonly string[] {
  return managedFieldsOf(object).flatMap(({ fields }) => membersOf(fields).map(({ path }) => formatPath(path)));
}

function ownerLine(entry: ManagedFieldsEntry): string {
  return entry.time === undefined ? ownerText(entry) : `${ownerText(entry)}, ${entry.time}`;
}

function requireLiveObject(received: unknown): JsonObject {
  if (isJsonObject(received) && isJsonObject(received.metadata)) {
    if (recordedFieldsOf(received).length > 0) return received;
    throw wrongUse(
      'The member `metadata.managedFields`',
      received.metadata.managedFields,
      'the object whole, as it is read from the server',
    );
  }
  const expected = 'an object as the server returns it, with its metadata; `cluster.get` returns undefined where the object does not exist';
  throw wrongUse('The value under test', received, expected);
}

function objectTextOf(object: JsonObject): string {
  const { name = '', namespace } = metadataOf(object);
  return `${String(object.kind ?? 'The object')} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}
