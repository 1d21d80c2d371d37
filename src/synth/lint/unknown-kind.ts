import { objectText } from '../../assembly/index.js';
import { nearest } from '../../builders/nearest.js';
import { isBuiltIn } from '../../schema/index.js';
import type { ImportedTypes } from '../declared/imported-types.js';
import type { ShippedTypes } from '../declared/shipped-types.js';
import { type LintDiagnostic, lintDiagnostic, type StackIntent } from './lint-diagnostic.js';

/**
 * Warns of a literal whose kind or apiVersion is close to one that a schema at hand has: the schemas know `Deployment` of `apps/v1`, so
 * `app/v1` and `deployment` are probably mistakes. A cluster may serve what no schema at hand has, so all else passes.
 */
export function unknownKind(
  placed: StackIntent,
  schemas: { readonly shipped: ShippedTypes; readonly imported: ImportedTypes },
): readonly LintDiagnostic[] {
  const { apiVersion, kind } = placed.intent.identity;
  const known = [...schemas.shipped.kinds(), ...schemas.imported.kindsOfGroup(apiVersion)];
  // Two sources may have the kind, and differ.
  if (known.some((one) => one.apiVersion === apiVersion && one.kind === kind)) return [];
  const reason = wrongKind(apiVersion, kind, known) ?? wrongVersion(apiVersion, kind, known);
  if (reason === undefined) return [];
  const message = `${objectText(placed.intent.identity)} is of a kind that no schema at hand has: ${reason}`;
  return [lintDiagnostic('schema-not-met', message, placed, '.kind')];
}

interface KnownKind {
  readonly apiVersion: string;
  readonly kind: string;
}

function wrongKind(apiVersion: string, kind: string, known: readonly KnownKind[]): string | undefined {
  const kinds = known.filter((one) => one.apiVersion === apiVersion).map((one) => one.kind);
  const suggestion = nearest(kind, kinds);
  return suggestion === '' ? undefined : `${apiVersion} has no ${kind}${suggestion}`;
}

function wrongVersion(apiVersion: string, kind: string, known: readonly KnownKind[]): string | undefined {
  const versions = [...new Set(known.filter((one) => one.kind === kind).map((one) => one.apiVersion))];
  const group = groupOf(apiVersion);
  const ofGroup = versions.filter((version) => groupOf(version) === group);
  if (ofGroup.length > 0)
    return `${group || 'the core group'} has ${kind} in ${ofGroup.map(quoted).join(' and ')}, not in ${quoted(apiVersion)}`;
  const suggestion = isBuiltIn(apiVersion) || group.includes('.') ? '' : nearest(apiVersion, versions);
  return suggestion === '' ? undefined : `there is no group ${quoted(group)}${suggestion}`;
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
