import type { RootType } from '../schema/model.js';
import { hiddenFields } from '../schema/read/hidden-fields.js';
import { resolve } from '../schema/resolve.js';
import type { ErrorLocation } from '../util/error.js';
import { FieldwiseError } from '../util/error.js';
import type { JsonObject } from '../util/json.js';
import { isJsonObject } from '../util/json.js';
import type { BuildContext, BuilderType } from './apply-configuration.js';
import type { ValueDiagnostic } from './check-value.js';
import { ValueCheck } from './check-value.js';
import type { Values } from './values.js';
import { isPlainObject, openBuilder } from './values.js';

/** Builds a part of an object: plain JSON, checked. */
export function buildPart(type: BuilderType, values: Values, context: BuildContext = {}): JsonObject {
  const check = new ValueCheck(type.schema, { complete: context.complete });
  const result = check.check(Object.fromEntries(values), type.type) as JsonObject;
  refuse(check.diagnostics, context, undefined);
  return result;
}

/**
 * Checks a plain literal (which may contain builders) against the type of a whole object, and returns the plain partial object.
 * `apiVersion` and `kind` may be omitted.
 *
 * @throws FieldwiseError `intent-invalid` naming every field that the schema forbids, `intent-without-name` for an object without
 * `metadata.name`.
 */
export function buildLiteral(root: RootType, value: unknown, context: BuildContext = {}): JsonObject {
  const opened = openBuilder(value);
  if (opened !== undefined) return buildRoot(opened.type.root ?? root, opened.values, context);
  if (!isPlainObject(value)) refuse([{ path: '.', message: 'an object is expected' }], context, root.kind);
  return buildRoot(root, new Map(Object.entries(value as JsonObject)), context);
}

/** Builds a whole object. */
export function buildRoot(root: RootType, values: Values, context: BuildContext = {}): JsonObject {
  const type = resolve(root.schema, root.type);
  if (type.map === undefined) throw new Error(`The type of ${root.kind} is not an object.`);
  const check = new ValueCheck(root.schema, { complete: context.complete, root });
  const declared = new Map(values);
  const diagnostics: ValueDiagnostic[] = [];
  for (const name of ['apiVersion', 'kind'] as const) {
    const declaredValue = declared.get(name);
    if (declaredValue !== undefined && declaredValue !== root[name])
      diagnostics.push({ path: `.${name}`, message: `${JSON.stringify(declaredValue)} is not ${root[name]}` });
    declared.delete(name);
  }
  const members = [['apiVersion', root.apiVersion], ['kind', root.kind], ...declared] as [string, unknown][];
  const result = check.checkRoot(members, type, hiddenFields(root));
  const metadata = isJsonObject(result.metadata) ? result.metadata : {};
  if (root.scope === 'Cluster' && metadata.namespace !== undefined) {
    diagnostics.push({ path: '.metadata.namespace', message: `a ${root.kind} has no namespace, it belongs to the whole cluster` });
  }
  refuse([...diagnostics, ...check.diagnostics], context, describeObject(root, metadata));
  if (metadata.name === undefined || metadata.name === null || metadata.name === '') {
    throw new FieldwiseError('intent-without-name', 'usage', `A ${root.kind} is declared without a name`, {
      location: { ...locationOf(context), field: '.metadata.name' },
      next: 'Server-side apply addresses an object by its name; set metadata.name',
    });
  }
  return result;
}

function refuse(diagnostics: readonly ValueDiagnostic[], context: BuildContext, object: string | undefined): void {
  if (diagnostics.length === 0) return;
  const location = { ...locationOf(context), ...(object === undefined ? {} : { object }) };
  throw invalidIntent(diagnostics, location, context.complete === true);
}

/** Returns the error of an intent that does not fit its schema, located at the first diagnostic, of at least one. */
export function invalidIntent(diagnostics: readonly ValueDiagnostic[], location: ErrorLocation, complete = false): FieldwiseError {
  const what = `Declared intent does not fit its schema: ${diagnosticsText(diagnostics)}`;
  return new FieldwiseError('intent-invalid', 'usage', what, {
    location: { ...location, field: (diagnostics[0] as ValueDiagnostic).path },
    next: complete
      ? 'Declare the whole object, or leave out `complete`: an intent is partial, and another owner may declare the rest'
      : 'Correct the declaration',
  });
}

/** Returns at most ten diagnostics as text, each with its path. */
export function diagnosticsText(diagnostics: readonly ValueDiagnostic[]): string {
  const [first = '', ...others] = diagnostics.slice(0, 10).map(({ path, message }) => `${path}: ${message}`);
  const rest = diagnostics.length > 10 ? `; and ${diagnostics.length - 10} more` : '';
  return others.length === 0 ? first : `${first}; also ${others.join('; ')}${rest}`;
}

function locationOf({ construct, source }: BuildContext): ErrorLocation {
  return { ...(construct === undefined ? {} : { construct }), ...(source === undefined ? {} : { source }) };
}

function describeObject(root: RootType, metadata: JsonObject): string {
  const name = typeof metadata.name === 'string' ? metadata.name : '';
  return `${root.kind} ${typeof metadata.namespace === 'string' ? `${metadata.namespace}/` : ''}${name}`.trim();
}
