import type { Json } from '../../util/json.js';

/**
 * The compact schema of a generated module. It is plain data: nothing runs when the module loads, the text is parsed on first use, and each
 * type is decoded on first access.
 */
export interface Table {
  /** Module path without extension, such as `apps/v1`; prefix of the names of its types. */
  readonly module: string;
  /** Tables whose types this one refers to; a function, because modules may import each other in a circle. */
  readonly imports: () => readonly Table[];
  /** JSON of a `TableData`. */
  readonly json: string;
}

/** A table of the built-in API, as the build writes it to `lib/generated/tables.json` by the name of its module. */
export interface ShippedTable {
  /** Absent for a module without kinds. */
  readonly apiVersion?: string;
  /** Modules whose types it refers to. */
  readonly imports: readonly string[];
  /** See `Table`. */
  readonly json: string;
}

export interface TableData {
  readonly apiVersion?: string;
  readonly roots: { readonly [name: string]: EncodedRoot };
  readonly types: { readonly [name: string]: EncodedType };
}

export interface EncodedRoot {
  readonly kind: string;
  /** Only where it differs from the table's. */
  readonly apiVersion?: string;
  readonly type: string;
  readonly cluster?: 1;
  readonly resource?: string;
  readonly subresources?: readonly string[];
  readonly subresource?: string;
  readonly overlaid?: readonly string[];
}

/**
 * - `"s" "i" "n" "b" "u"`: string, integer, number, boolean, untyped scalar; `":FORMAT"` may follow
 * - `"x" "q" "any" "raw"`: int-or-string, quantity, deduced, untyped
 * - `"#Name"`, `"#module.Name"`: a named type; `"!a"` or `"!g"` in front overrides its map relation
 * - `["e", scalar, …values]` enum; `["l", element]` atomic list; `["S", element]` set; `["M", element, …keys]` list by keys
 * - `["m", element]`, `["a", element]`: granular and atomic map of free keys
 * - an element that may be null is `{ t: element, n: 1 }`
 * - `{ f: fields, r?: required, a?: 1 if atomic, e?: element }`: object; `p: 1` stands for an element `"any"` that the server prunes
 * - `{ s?, l?, m? }`: any other mixture of parts
 * - `["c", type, rules]`: a type with rules about its value
 */
export type EncodedType = string | readonly [string, ...Json[]] | EncodedObject | EncodedAtom;

export interface EncodedObject {
  readonly f: { readonly [name: string]: EncodedType | EncodedField };
  readonly r?: readonly string[];
  readonly a?: 1;
  readonly e?: EncodedType | EncodedField;
  readonly p?: 1;
}

export interface EncodedAtom {
  readonly s?: EncodedType;
  readonly l?: EncodedType;
  readonly m?: EncodedType;
}

/** A field with attributes beside its type. */
export interface EncodedField {
  readonly t: EncodedType;
  readonly d?: Json;
  readonly n?: 1;
}
