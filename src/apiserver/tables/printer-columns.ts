import { stringifyExactJson } from '../../util/exact-json.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { textAt } from './cells.js';
import { ageColumn, type Column, nameColumn, type TableKind } from './column.js';
import { ageOf } from './duration.js';
import { parseJsonPath } from './json-path.js';

/** The column of a custom resource that declares none. */
const defaultColumns: readonly Column[] = [{ ...ageColumn, type: 'date', cell: (object, now) => dateCell(creationOf(object), now) }];

function creationOf(object: JsonObject): Json | undefined {
  return isJsonObject(object.metadata) ? object.metadata.creationTimestamp : undefined;
}

/**
 * Returns the columns of a version of a custom resource.
 * Source: Kubernetes API reference, CustomResourceColumnDefinition; cells: observed.
 */
export function printerColumns(declared: readonly JsonObject[]): TableKind {
  return { columns: [nameColumn, ...(declared.length === 0 ? defaultColumns : declared.map(printerColumn))] };
}

function printerColumn(declared: JsonObject): Column {
  const type = textAt(declared, 'type');
  const path = textAt(declared, 'jsonPath');
  const select = parseJsonPath(path);
  return {
    name: textAt(declared, 'name'),
    type,
    format: textAt(declared, 'format'),
    description: textAt(declared, 'description') || `Custom resource definition column (in JSONPath format): ${path}`,
    priority: typeof declared.priority === 'number' ? declared.priority : 0,
    cell: (object, now) => cellOf(type, select(object)[0], now),
  };
}

/** Returns the first selected value as the type of the column; null if it is absent or of another type. */
function cellOf(type: string, value: Json | undefined, now: number): Json {
  if (value === undefined) return null;
  switch (type) {
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : isBigInteger(value) ? value : null;
    case 'number':
      return typeof value === 'number' ? value : isBigInteger(value) ? Number(value) : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return dateCell(value, now);
    default:
      return cellText(value);
  }
}

/** Returns true for an integer beyond 2^53. */
function isBigInteger(value: unknown): boolean {
  return typeof value === 'bigint';
}

function cellText(value: Json): string {
  if (value === null) return '<no value>';
  return typeof value === 'string' ? value : stringifyExactJson(sorted(value));
}

const rfc3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

function dateCell(value: Json | undefined, now: number): Json {
  if (typeof value !== 'string') return null;
  if (value !== '' && !rfc3339.test(value)) return '<invalid>';
  return ageOf(value, now);
}

/** Returns a value with the members of its maps in the order of their names. */
function sorted(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(sorted);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((name) => [name, sorted(value[name] as Json)]),
  );
}
