import type { ListTypeOverlay } from '../../../../codegen/index.js';
import type { OpenApiDocument, RootType, SchemaDiagnostic } from '../../../schema/index.js';
import { readOpenApi } from '../../../schema/index.js';
import { FieldwiseError } from '../../../util/error.js';
import type { JsonObject } from '../../../util/json.js';
import { digestOf } from '../digest.js';
import { isBuiltInPath, openApiAt, requireKnownVersion, shippedRoots } from './builtin.js';
import type { ClusterSchemas } from './cluster.js';
import type { ModuleInput } from './crds.js';
import { readCrds } from './crds.js';
import type { ImportSource } from './source.js';
import { readSource } from './source.js';
import type { SourceContext } from './source-files.js';
import type { ImportSpec } from './spec.js';
import { distinctSpecs } from './spec.js';

export interface ImportRequest {
  readonly specs: readonly ImportSpec[];
  readonly overlays: readonly ListTypeOverlay[];
  /** Texts of overlays that may belong to other imports. */
  readonly optionalOverlays: ReadonlySet<string>;
  /** For k8s: documents to read instead of the API that ships with Fieldwise. */
  readonly openapi?: string | undefined;
  /** For k8s: read a cluster instead of the API that ships with Fieldwise. */
  readonly fromCluster: boolean;
  /** Write the builders of the API that ships with Fieldwise. */
  readonly writeShipped: boolean;
  readonly docs: boolean;
}

/** The parsed sources of an import, before anything is generated. */
export interface ReadImport {
  readonly sources: readonly ImportSource[];
  readonly units: readonly ModuleGroup[];
  /** The applied overlays, by the source of the CRDs. */
  readonly usedOverlays: ReadonlyMap<ImportSource, ReadonlySet<ListTypeOverlay>>;
}

/** Types that are written to the same modules. */
export interface ModuleGroup {
  /** `NAME` of `NAME:=SPEC`; empty without one. */
  readonly name: string;
  readonly roots: readonly RootType[];
  /** True if these roots contain the types of Kubernetes. */
  readonly builtIn: boolean;
  /** True for the built-in API that ships with Fieldwise, about which more facts are known than its schema declares. */
  readonly shipped?: boolean;
  readonly diagnostics: readonly SchemaDiagnostic[];
  readonly patched: readonly JsonObject[];
  /** The parts of everything that these roots were read from. */
  readonly inputs: readonly ModuleInput[];
}

/**
 * Reads all sources of an import.
 *
 * @throws FieldwiseError `list-type-invalid`, and the errors of `readSource`, `readCrds` and `openApiAt`.
 */
export async function readImport(plan: ImportRequest, context: SourceContext): Promise<ReadImport> {
  const sources: ImportSource[] = [];
  const builtIn = new Set<ImportSource>();
  for (const spec of distinctSpecs(plan.specs)) {
    const source = spec.kind === 'k8s' ? await readBuiltIn(spec, plan, context.cluster, context.cwd) : await readSource(spec, context);
    if (spec.kind === 'k8s') builtIn.add(source);
    sources.push(source);
  }
  const read: ImportSource[] = [];
  const units: ModuleGroup[] = [];
  const usedOverlays = new Map<ImportSource, ReadonlySet<ListTypeOverlay>>();
  for (const name of [...new Set(sources.map(({ spec }) => spec.name))].sort()) {
    const named = sources.filter(({ spec }) => spec.name === name);
    const documents = named.flatMap(({ openApi }) => openApi);
    if (documents.length > 0) units.push({ name, builtIn: true, patched: [], ...servedKinds(documents, plan.docs) });
    else if (named.some((source) => builtIn.has(source)) && plan.writeShipped) {
      units.push({ name, builtIn: true, shipped: true, patched: [], inputs: [], roots: await shippedRoots(), diagnostics: [] });
    }
    const crds = readCrds(named, plan.overlays);
    for (const [source, overlays] of crds.usedOverlays) usedOverlays.set(source, overlays);
    read.push(...crds.sources);
    if (crds.roots.length > 0) units.push({ name, builtIn: false, ...crds });
  }
  const used = new Set([...usedOverlays.values()].flatMap((overlays) => [...overlays]));
  const unused = plan.overlays.find((overlay) => !used.has(overlay) && !plan.optionalOverlays.has(overlay.text));
  if (unused !== undefined) {
    throw new FieldwiseError('list-type-invalid', 'usage', `The list type ${unused.text} is for a kind that no imported CRD defines`, {
      next: 'Write the kind as in the CRD, such as Gateway or Gateway.edge.example.com.',
    });
  }
  return { sources: read, units, usedOverlays };
}

async function readBuiltIn(
  spec: Extract<ImportSpec, { kind: 'k8s' }>,
  plan: ImportRequest,
  cluster: ClusterSchemas,
  cwd: string,
): Promise<ImportSource> {
  const none = { spec, crds: [], skipped: [], problems: [], templates: [], alterations: [] };
  if (plan.openapi !== undefined) return { ...none, openApi: await openApiAt(plan.openapi, cwd) };
  if (plan.fromCluster) return { ...none, openApi: await cluster.openApi(isBuiltInPath) };
  if (spec.version !== undefined) requireKnownVersion(spec.version);
  return { ...none, openApi: [] };
}

function servedKinds(documents: readonly OpenApiDocument[], docs: boolean): Pick<ModuleGroup, 'roots' | 'diagnostics' | 'inputs'> {
  const { roots, diagnostics } = readOpenApi(documents, { docs });
  const inputs = documents.map(({ document }) => ({ group: '', digest: digestOf(document) }));
  if (roots.length > 0) return { roots, diagnostics, inputs };
  throw new FieldwiseError('openapi-invalid', 'usage', 'The documents contain no kind that can be applied', {
    location: { file: documents[0]?.name ?? '' },
    next: 'Pass complete documents of the /openapi/v3 path of an API server, such as /openapi/v3/apis/apps/v1.',
  });
}
