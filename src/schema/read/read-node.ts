import { FieldwiseError } from '../../util/error.js';
import type { Json, JsonObject } from '../../util/json.js';
import { isJsonObject } from '../../util/json.js';
import { deduced, deducedType, emptiedType, untyped, untypedName } from '../deduced.js';
import type { Field, MapType, ScalarType, Type, TypeRef } from '../model.js';
import { objectFields } from '../object-meta.js';
import { pathStep } from '../schema-path.js';
import { readValueValidation } from '../value-validation.js';
import { describeNode } from './describe-node.js';
import { isIntOrString } from './int-or-string.js';
import { intOrString, readScalar } from './read-scalar.js';
import { reportUncheckedRules } from './report-unchecked-rules.js';
import type { SchemaDiagnostic } from './schema-diagnostic.js';

/** The surroundings of one schema node. */
export interface NodeContext {
  /** Kind and group-version, or the name of a built-in type. */
  readonly subject: string;
  /** Field path inside the subject; empty for the root. */
  readonly path: string;
  readonly depth: number;
  /** An ancestor preserves unknown fields; inline descendants inherit that. */
  readonly preserve: boolean;
  /** The node is an item of a list that preserves unknown fields itself: pruning spares the item's members, too. */
  readonly preservedItem?: boolean;
  /** The node is the root of a custom resource, which always has fields: those of every object. */
  readonly isRoot?: boolean;
  /** The node belongs to a custom resource, whose unknown fields the server prunes. */
  readonly prunes?: boolean;
  /** Keeps descriptions. */
  readonly docs: boolean;
  /** Name of the type that a `$ref` leads to. */
  readonly refName: (ref: string) => string | undefined;
  readonly diagnostics: SchemaDiagnostic[];
}

/** No schema in use nests deeper than a few dozen levels; the limit keeps a hostile one from exhausting the stack. */
const maxDepth = 400;

/**
 * Reads an OpenAPI v3 schema node, as server-side apply reads it.
 * Source: Kubernetes documentation "Server-Side Apply", "Merge strategy"; KEP-555, KEP-2896 (OpenAPI v3).
 */
export function readNode(node: Json | undefined, context: NodeContext): TypeRef {
  if (context.depth > maxDepth) {
    throw new FieldwiseError('schema-too-deep', 'usage', `The schema of ${context.subject} nests deeper than ${maxDepth} levels`, {
      location: { field: `${context.path.slice(0, 120)}…` },
      next: 'Such a schema is either damaged or hostile; check the file',
    });
  }
  if (!isJsonObject(node)) {
    if (node !== true) reportWidened(context, 'the schema node is not an object; any value is accepted here');
    return deduced;
  }
  reportUncheckedRules(node, context);
  const named = reference(node, context);
  if (named !== undefined) return named;
  return { inline: withDescription(withRules(inlineType(node, context), node), node, context) };
}

function reference(node: JsonObject, context: NodeContext): TypeRef | undefined {
  const ref = typeof node.$ref === 'string' ? node.$ref : singleReference(node.allOf);
  if (ref === undefined) return undefined;
  const name = context.refName(ref);
  if (name === undefined) {
    reportWidened(context, `the reference ${JSON.stringify(ref)} leads nowhere; any value is accepted here`);
    return deduced;
  }
  if (name === untypedName) return { name };
  const relation = mapRelation(node, context);
  return relation === undefined ? { name } : { name, mapRelation: relation };
}

// OpenAPI v3 writes `allOf: [{ $ref }]` where a reference has siblings.
function singleReference(allOf: Json | undefined): string | undefined {
  if (!Array.isArray(allOf) || allOf.length !== 1 || !isJsonObject(allOf[0])) return undefined;
  const ref = allOf[0].$ref;
  return typeof ref === 'string' ? ref : undefined;
}

/** Reads a node that is not a reference. */
export function inlineType(node: JsonObject, context: NodeContext): Type {
  const type = node.type;
  if (type === undefined || type === '') return typeOfAny(node, context);
  if (isIntOrString(node)) return intOrString;
  if (type === 'object') return { map: readMap(node, context) };
  if (type === 'array') return { list: readList(node, context) };
  const scalar = readScalar(node);
  if (scalar !== undefined) {
    if (Array.isArray(node.enum) && node.enum.some((value: Json) => typeof value === 'object' && value !== null)) {
      reportWidened(context, 'the enum of a scalar holds lists or objects, which no value equals; they are left out');
    }
    return { scalar };
  }
  reportWidened(context, `the type ${JSON.stringify(type)} is not a type of OpenAPI v3; any value is accepted here`);
  return deducedType;
}

/** The parts of a node without a type that describe the lists and maps among its values. */
const partsOfAny = [
  'properties',
  'additionalProperties',
  'items',
  'x-kubernetes-map-type',
  'x-kubernetes-list-type',
  'x-kubernetes-patch-strategy',
];

/**
 * Reads a node without a type: any value fits, and a map has these fields, a list these items. A CRD has such nodes where they preserve
 * unknown fields, and beside `x-kubernetes-int-or-string`. Source: the conversion of OpenAPI into types of structured merge; observed.
 */
function typeOfAny(node: JsonObject, context: NodeContext): Type {
  const any = isIntOrString(node) ? intOrString : deducedType;
  if (context.prunes && any === deducedType && !preserves(node)) {
    reportWidened(context, 'no `type`, and no `x-kubernetes-preserve-unknown-fields` in its place: the API server refuses such a CRD');
  }
  if (!partsOfAny.some((name) => node[name] !== undefined)) return any;
  return { scalar: any.scalar as ScalarType, list: readList(node, context), map: readMap(node, context) };
}

/**
 * Reads an object in two views. Merging inherits preserve-unknown-fields: `element` is the type of members that no node declares. Pruning does
 * not inherit it: `pruned` says that the server drops them nevertheless. Source: structural pruning, observed.
 */
export function readMap(node: JsonObject, { preservedItem, isRoot = false, ...context }: NodeContext): MapType {
  const preserve = context.preserve || preserves(node);
  const fields = new Map<string, Field>();
  if (node['x-kubernetes-embedded-resource'] === true) for (const [name, field] of objectFields()) fields.set(name, field);
  const properties = isJsonObject(node.properties) ? node.properties : {};
  for (const name of Object.keys(properties)) {
    const child = { ...context, preserve, depth: context.depth + 1, path: `${context.path}${pathStep(name)}` };
    // The API server replaces the metadata that an embedded resource declares by its own ObjectMeta.
    if (fields.has(name) && name === 'metadata') continue;
    fields.set(name, readField(properties[name], child));
  }
  const element = memberType(node, { ...context, preserve }, fields.size === 0 && !isRoot);
  // A server requires these two whether the schema does or not. Source: test/apiserver/requests/embedded-resources.test.ts.
  const identity = node['x-kubernetes-embedded-resource'] === true ? ['apiVersion', 'kind'] : [];
  const required = [...new Set([...strings(node.required).filter((name) => fields.has(name)), ...identity])];
  const relation = mapRelation(node, context) ?? 'granular';
  if (element === undefined) return { relation, fields, required };
  const isPruned = context.prunes && node.additionalProperties === undefined && !preservedItem && !preserves(node);
  return { relation, fields, required, element, ...nullability(node.additionalProperties), ...(isPruned ? { pruned: true } : {}) };
}

function preserves(node: JsonObject): boolean {
  return node['x-kubernetes-preserve-unknown-fields'] === true;
}

function readField(node: Json | undefined, context: NodeContext): Field {
  const type = readNode(node, context);
  if (!isJsonObject(node)) return { type };
  // OpenAPI v3 writes `default: {}` beside a reference for a struct that Go never leaves nil: it carries no information.
  const description = context.docs ? describeNode(node) : undefined;
  const hasDefault =
    node.default !== undefined && !('name' in type && isJsonObject(node.default) && Object.keys(node.default).length === 0);
  return {
    type,
    ...(hasDefault ? { default: node.default as Json } : {}),
    ...nullability(node),
    ...(description === undefined ? {} : { description }),
  };
}

function memberType(node: JsonObject, context: NodeContext, empty: boolean): TypeRef | undefined {
  const additional = node.additionalProperties;
  if (additional === false) return undefined;
  if (additional === true) return context.prunes ? { inline: emptiedType } : deduced;
  if (additional !== undefined) return readNode(additional, { ...context, depth: context.depth + 1, path: `${context.path}.*` });
  return context.preserve || empty ? deduced : undefined;
}

function readList(node: JsonObject, context: NodeContext): NonNullable<Type['list']> {
  const own = preserves(node);
  const inner = {
    ...context,
    depth: context.depth + 1,
    path: `${context.path}[]`,
    preserve: context.preserve || own,
    preservedItem: context.preservedItem === true || own,
  };
  const element = node.items === undefined ? anyItem(node, context) : readNode(node.items, inner);
  const atomic = { relation: 'atomic', keys: [], element, ...nullability(node.items) } as const;
  const type = node['x-kubernetes-list-type'];
  if (type === 'atomic') return { ...atomic, explicit: true };
  if (type === 'set') return { relation: 'associative', keys: [], element };
  if (type === 'map') {
    const keys = strings(node['x-kubernetes-list-map-keys']);
    if (keys.length > 0) return { relation: 'associative', keys: keys.toSorted(), element };
    reportWidened(context, '`x-kubernetes-list-type: map` without `x-kubernetes-list-map-keys`; taken as atomic');
    return atomic;
  }
  if (type !== undefined) {
    reportWidened(context, `the list type ${JSON.stringify(type)} is unknown; taken as atomic`);
    return atomic;
  }
  // The older patch annotations apply only without a list type: for ports the two name different keys.
  const strategies = typeof node['x-kubernetes-patch-strategy'] === 'string' ? node['x-kubernetes-patch-strategy'].split(',') : [];
  if (!strategies.includes('merge')) return atomic;
  const key = node['x-kubernetes-patch-merge-key'];
  return { relation: 'associative', keys: typeof key === 'string' && key !== '' ? [key] : [], element };
}

function anyItem(node: JsonObject, context: NodeContext): TypeRef {
  if (node.type !== 'array') return untyped;
  reportWidened(context, 'a list without `items`; any item is accepted');
  return deduced;
}

function nullability(node: Json | undefined): { readonly nullable?: true } {
  return isJsonObject(node) && node.nullable === true ? { nullable: true } : {};
}

function mapRelation(node: JsonObject, context: NodeContext): 'granular' | 'atomic' | undefined {
  const type = node['x-kubernetes-map-type'];
  if (type === undefined || type === 'granular' || type === 'atomic') return type;
  reportWidened(context, `the map type ${JSON.stringify(type)} is unknown; taken as granular`);
  return undefined;
}

function withRules(type: Type, node: JsonObject): Type {
  const rules = readValueValidation(node);
  return rules === undefined ? type : { ...type, valueValidation: rules };
}

function withDescription(type: Type, node: JsonObject, context: NodeContext): Type {
  const description = context.docs ? describeNode(node) : undefined;
  return description === undefined ? type : { ...type, description };
}

function reportWidened(context: NodeContext, reason: string): void {
  context.diagnostics.push({ code: 'node-widened', subject: context.subject, path: context.path || '.', message: reason });
}

function strings(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}
