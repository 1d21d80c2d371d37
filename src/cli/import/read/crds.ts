import type { ListTypeOverlay } from '../../../../codegen/index.js';
import { overlayCrd } from '../../../../codegen/index.js';
import type { RootType, SchemaDiagnostic } from '../../../schema/index.js';
import { readCrd } from '../../../schema/index.js';
import { FieldwiseError } from '../../../util/error.js';
import type { JsonObject } from '../../../util/json.js';
import { digestOf } from '../digest.js';
import type { SourceCrd } from './cluster.js';
import { definitionRefusals } from './definition-refusals.js';
import { distinctCrds } from './distinct-crds.js';
import type { Skipped } from './skipped.js';
import type { ImportSource } from './source.js';

/** A part of the input of generated modules. */
export interface ModuleInput {
  /** The API group; empty for the built-in API. */
  readonly group: string;
  /** Covers everything that the modules depend on. */
  readonly digest: string;
}

/** The CRDs of several sources. */
export interface ImportedCrds {
  readonly roots: readonly RootType[];
  readonly diagnostics: readonly SchemaDiagnostic[];
  /** CRDs with list types that override those of their authors. */
  readonly patched: readonly JsonObject[];
  readonly inputs: readonly ModuleInput[];
  /** The sources without CRDs that are not imported, and with the reasons. */
  readonly sources: readonly ImportSource[];
  /** The applied overlays, by the source of the CRDs. */
  readonly usedOverlays: ReadonlyMap<ImportSource, ReadonlySet<ListTypeOverlay>>;
}

/**
 * Reads the CRDs of sources that are written to the same modules. An error in one of several CRDs of a directory is added to the problems of
 * its source.
 *
 * @throws FieldwiseError `crd-invalid`, `crd-twice`, `list-type-refused`, `schema-too-deep`.
 */
export function readCrds(given: readonly ImportSource[], overlays: readonly ListTypeOverlay[]): ImportedCrds {
  const roots: RootType[] = [];
  const diagnostics: SchemaDiagnostic[] = [];
  const patched: JsonObject[] = [];
  const inputs: ModuleInput[] = [];
  const sources: ImportSource[] = [];
  const usedOverlays = new Map<ImportSource, Set<ListTypeOverlay>>();
  for (const { source, crds, skipped, problems } of distinctCrds(given)) {
    const used = new Set<ListTypeOverlay>();
    const read: SourceCrd[] = [];
    const failed: FieldwiseError[] = [];
    const refusals: SchemaDiagnostic[] = [];
    for (const crd of crds) {
      try {
        const { isCopy, ...found } = crd;
        if (isCopy) read.push(found);
        else {
          const result = readOne(crd, overlays);
          roots.push(...result.roots);
          diagnostics.push(...result.diagnostics);
          // A server that has a definition takes it, whatever others do.
          if (source.spec.kind !== 'cluster' || result.patched !== undefined) refusals.push(...result.refusals);
          if (result.patched !== undefined) patched.push(result.patched);
          for (const overlay of result.used) used.add(overlay);
          inputs.push(result.input);
          read.push({ ...found, digest: result.digest });
        }
      } catch (error) {
        if (crd.several !== true || !(error instanceof FieldwiseError) || error.code === 'list-type-refused') throw error;
        failed.push(error);
      }
    }
    const kept = { ...withReasons(source, read, skipped, [...problems, ...failed]), refusals };
    sources.push(kept);
    if (used.size > 0) usedOverlays.set(kept, used);
  }
  return { roots, diagnostics, patched, inputs, sources, usedOverlays };
}

function withReasons(
  source: ImportSource,
  crds: readonly SourceCrd[],
  skipped: readonly Skipped[],
  problems: readonly FieldwiseError[],
): ImportSource {
  return { ...source, crds, skipped: [...source.skipped, ...skipped], problems: [...source.problems, ...problems] };
}

function readOne({ document, location, version }: SourceCrd, overlays: readonly ListTypeOverlay[]) {
  const plain = readCrd(document, { file: location, docs: true });
  const { crd, overlaid, used } = overlayCrd(document as JsonObject, overlays, location);
  const read = used.size > 0 ? readCrd(crd, { file: location, docs: true }) : plain;
  const isWanted = (apiVersion: string) => version === undefined || apiVersion.endsWith(`/${version}`);
  const roots = read.roots.flatMap((root) => {
    if (!isWanted(root.apiVersion)) return [];
    const paths = overlaid.get(root.apiVersion.slice(root.apiVersion.indexOf('/') + 1));
    return [paths === undefined ? root : { ...root, overlaid: paths.toSorted() }];
  });
  const isOfWanted = ({ subject }: SchemaDiagnostic) => isWanted(subject.split(' ')[1] ?? subject);
  const refusals = definitionRefusals(crd).filter(isOfWanted);
  const diagnostics = read.diagnostics.filter(isOfWanted);
  const patched = used.size > 0 ? crd : undefined;
  const { spec } = document as { readonly spec: JsonObject };
  const digest = digestOf(spec);
  const input = { group: String(spec.group), digest: digestOf({ digest, version: version ?? null, patched: patched ?? null }) };
  return { roots, refusals, diagnostics, patched, used, digest, input };
}
