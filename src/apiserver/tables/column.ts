import { metadataOf } from '../../fields/object.js';
import type { Json, JsonObject } from '../../util/json.js';
import { at } from './cells.js';
import { ageOf } from './duration.js';

/** A column of a Table. Source: Kubernetes API reference, TableColumnDefinition. */
export interface Column {
  readonly name: string;
  /** @default 'string' */
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  /** Columns above 0 are shown by `-o wide` only. @default 0 */
  readonly priority?: number;
  /** The rows have a cell of the column, but the Table does not define it. Source: observed. */
  readonly hidden?: boolean;
  /** Returns the value of the column for an object. `now` is in milliseconds. */
  readonly cell: (object: JsonObject, now: number) => Json;
}

/** The columns of a kind, and what its rows have besides cells. */
export interface TableKind {
  readonly columns: readonly Column[];
  /** Returns the conditions of a row. */
  readonly conditions?: (object: JsonObject) => readonly JsonObject[];
  /** Order of the rows of a list. @default as listed */
  readonly compare?: (left: JsonObject, right: JsonObject) => number;
}

export const nameColumn: Column = { name: 'Name', format: 'name', cell: (object) => metadataOf(object).name ?? '' };

export const ageColumn: Column = {
  name: 'Age',
  cell: (object, now) => ageOf(metadataOf(object).creationTimestamp, now),
};

export const createdColumn: Column = {
  name: 'Created At',
  type: 'date',
  cell: (object) => metadataOf(object).creationTimestamp ?? '0001-01-01T00:00:00Z',
};

/** Returns a column of texts. `source` is a dotted path or a function; absent values are shown as `absent`. */
export function text(name: string, source: string | Column['cell'], absent = ''): Column {
  const cell: Column['cell'] = typeof source === 'function' ? source : (object) => at(object, source) ?? absent;
  return { name, cell };
}

/** Returns a column of integers, 0 where the value is absent. */
export function integer(name: string, source: string | Column['cell']): Column {
  const cell: Column['cell'] = typeof source === 'function' ? source : (object) => at(object, source) ?? 0;
  return { name, type: 'integer', cell };
}

/** Returns a column of booleans, false where the value is absent. */
export function flag(name: string, path: string, absent = false): Column {
  return { name, type: 'boolean', cell: (object) => at(object, path) ?? absent };
}

/** Returns columns that only `-o wide` shows. */
export function wide(...columns: readonly Column[]): readonly Column[] {
  return columns.map((column) => ({ ...column, priority: 1 }));
}

/** Returns a kind with the given columns after its name. */
export function kind(...columns: readonly Column[]): TableKind {
  return { columns: [nameColumn, ...columns] };
}
