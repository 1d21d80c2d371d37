import type { ListTypeOverlay } from '../../../../codegen/index.js';
import { overlayCrd } from '../../../../codegen/index.js';
import type { RootType, SchemaDiagnostic } from '../../../schema/index.js';
import { readCrd } from '../../../schema/index.js';
import { FieldwiseError } from '../../../util/error.js';
import type { Json, JsonObject } from '../../../util/json.js';
import { jsonEqual } from '../../../util/json.js';
import type { ImportSource } from './source.js';

/** The CRDs of several sources. */
export interface ImportedCrds {
  readonly roots: readonly RootType[];
  readonly diagnostics: readonly SchemaDiagnostic[];
  /** CRDs with list types that override those of their authors. */
  readonly patched: readonly JsonObject[];
  readonly skipped: readonly string[];
  /** The applied overlays, by the source of the CRDs. */
  readonly usedOverlays: ReadonlyMap<ImportSource, ReadonlySet<ListTypeOverlay>>;
}

/**
 * Reads the CRDs of sources that are written to the same modules.
 *
 * @throws FieldwiseError `crd-invalid`, `crd-twice`, `list-type-refused`, `schema-too-deep`.
 */
export function readCrds(sources: readonly ImportSource[], overlays: readonly ListTypeOverlay[]): ImportedCrds {
  const roots: RootType[] = [];
  const diagnostics: SchemaDiagnostic[] = [];
  const patched: JsonObject[] = [];
  const skipped: string[] = [];
  const usedOverlays = new Map<ImportSource, Set<ListTypeOverlay>>();
  const seen = new Map<string, { readonly location: string; readonly document: unknown }>();
  for (const { source, document, location, version } of sources.flatMap((one) => one.crds.map((crd) => ({ ...crd, source: one })))) {
    const plain = readCrd(document, { file: location, docs: true });
    const kinds = plain.roots.map((root) => `${root.kind} ${root.apiVersion}`);
    const first = kinds.map((kind) => seen.get(kind)).find((known) => known !== undefined);
    if (first !== undefined) {
      requireSame(first, { location, document }, kinds[0] ?? '');
      skipped.push(`${location} is the same CustomResourceDefinition as ${first.location}; skipped.`);
      continue;
    }
    for (const kind of kinds) seen.set(kind, { location, document });
    const { crd, overlaid, used } = overlayCrd(document as JsonObject, overlays, location);
    usedOverlays.set(source, new Set([...(usedOverlays.get(source) ?? []), ...used]));
    if (used.size > 0) patched.push(crd);
    const read = used.size > 0 ? readCrd(crd, { file: location, docs: true }) : plain;
    const isWanted = (apiVersion: string) => version === undefined || apiVersion.endsWith(`/${version}`);
    for (const root of read.roots) {
      if (!isWanted(root.apiVersion)) continue;
      const paths = overlaid.get(root.apiVersion.slice(root.apiVersion.indexOf('/') + 1));
      roots.push(paths === undefined ? root : { ...root, overlaid: paths.toSorted() });
    }
    diagnostics.push(...read.diagnostics.filter(({ subject }) => isWanted(subject.split(' ')[1] ?? subject)));
  }
  return { roots, diagnostics, patched, skipped, usedOverlays };
}

interface LocatedDocument {
  readonly location: string;
  readonly document: unknown;
}

function requireSame(first: LocatedDocument, second: LocatedDocument, kind: string): void {
  const specOf = ({ document }: LocatedDocument) => (document as { readonly spec?: Json }).spec;
  if (first.location !== second.location && jsonEqual(specOf(first), specOf(second))) return;
  throw new FieldwiseError('crd-twice', 'usage', `${kind} is defined twice, in ${first.location} and in ${second.location}`, {
    location: { file: second.location },
    next: 'Pass only one of the two, or separate them with NAME:=SPEC.',
  });
}
