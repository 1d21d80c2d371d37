import type { OpenApiDocument, SchemaDiagnostic } from '../../../schema/index.js';
import { isCrdDocument } from '../../../schema/index.js';
import type { SourceDocument } from '../../../schema/read/read-documents.js';
import { readDocuments } from '../../../schema/read/read-documents.js';
import { templateNotRendered } from '../../../schema/read/template.js';
import { FieldwiseError } from '../../../util/error.js';
import type { Json } from '../../../util/json.js';
import { isJsonObject } from '../../../util/json.js';
import { alteredKeys } from '../../documents/altered-keys.js';
import { decodeText } from '../../files/decode-text.js';
import type { SourceCrd } from './cluster.js';
import type { Skipped } from './skipped.js';
import { describeSkipped } from './skipped.js';
import type { SourceContext } from './source-files.js';
import { filesOf } from './source-files.js';
import { declaresCrd, mentionsCrds } from './source-names.js';
import type { ImportSpec } from './spec.js';
import type { UnpackedFile } from './unpack.js';
import { unpack } from './unpack.js';

/** The content of the source that one spec names. */
export interface ImportSource {
  readonly spec: ImportSpec;
  readonly crds: readonly SourceCrd[];
  readonly openApi: readonly OpenApiDocument[];
  readonly skipped: readonly Skipped[];
  /** Errors of single files of a directory or archive, which do not keep the others from being imported. */
  readonly problems: readonly FieldwiseError[];
  /** Templates of Helm charts in a directory or archive that would declare CRDs, by their location. */
  readonly templates: readonly string[];
  /** Clauses about what is read otherwise than people mean it, each with its place. */
  readonly alterations: readonly string[];
  /** The errors by which an API server refuses its CRDs. */
  readonly refusals?: readonly SchemaDiagnostic[];
}

/**
 * Reads the CRDs that a spec names, except for `k8s`. An error in one of several files is returned as one of `problems`.
 *
 * @throws FieldwiseError of kind `usage`: `input-missing`, `input-empty`, `yaml-invalid` with line and column, `template-not-rendered`,
 *   `archive-invalid`, `crd-invalid`, `source-too-large`, `source-unreachable`, `api-not-served`.
 */
export async function readSource(spec: ImportSpec, context: SourceContext): Promise<ImportSource> {
  const none = { spec, openApi: [], skipped: [], problems: [], templates: [], alterations: [] };
  if (spec.kind === 'cluster') return { ...none, ...(await context.cluster.read(spec.wanted)) };
  const reader = new SourceReader();
  const files = await filesOf(spec, context);
  for (const { location, content, several } of files) {
    await reader.isolated(several, async () => {
      for await (const file of unpack(await content(), location)) {
        await reader.isolated(several || file.archived, () => reader.read(file, several || file.archived));
      }
    });
  }
  const { crds, skipped, problems, templates, alterations } = reader;
  const [problem] = problems;
  if (crds.length === 0 && problem !== undefined && problems.length === 1) throw problem;
  if (crds.length === 0 && problems.length === 0) throw noCrd(spec, files.length, reader);
  return { spec, crds, openApi: [], skipped, problems, templates, alterations };
}

/** Collects the CRDs of the files of one source. */
class SourceReader {
  readonly crds: SourceCrd[] = [];
  readonly skipped: Skipped[] = [];
  readonly problems: FieldwiseError[] = [];
  readonly templates: string[] = [];
  readonly alterations: string[] = [];

  /** Does some work; with `isolated`, keeps its error as a problem. */
  async isolated(isolated: boolean, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!isolated || !(error instanceof FieldwiseError)) throw error;
      if (error.code === 'template-not-rendered') this.templates.push(error.location.file ?? '');
      else this.problems.push(error);
    }
  }

  /** @param several the file is one of several that nobody named, so that most are expected to have nothing to do with CRDs. */
  async read({ location, content }: UnpackedFile, several: boolean): Promise<void> {
    // Other files than those with CRDs may be in any form.
    if (several && !mentionsCrds(content.includes(0) ? attempt(() => decodeText(content, location)) : content.toString('utf8'))) {
      this.skipped.push({ what: 'file', text: `${location} contains no CustomResourceDefinition` });
      return;
    }
    const text = decodeText(content, location);
    const documents = await this.#documentsOf(text, location, several);
    for (const found of documents) {
      if (isCrdDocument(found.document)) this.crds.push(several ? { ...found, several } : found);
      else this.skipped.push(describeDocument(found));
    }
    const crds = documents.flatMap(({ document }) => (isCrdDocument(document) ? [document as Json] : []));
    for (const altered of alteredKeys({ text, line: 1 }, crds, location)) this.alterations.push(`${altered.location}: ${altered.message}`);
  }

  async #documentsOf(text: string, location: string, several: boolean): Promise<readonly SourceDocument[]> {
    try {
      return await readDocuments(text, location);
    } catch (error) {
      if (!several || declaresCrd(text) || !(error instanceof FieldwiseError)) throw error;
      this.skipped.push({ what: 'file', text: `${location} cannot be read, and declares no CustomResourceDefinition` });
      return [];
    }
  }
}

function attempt(work: () => string): string {
  try {
    return work();
  } catch {
    return '';
  }
}

function noCrd(spec: ImportSpec, files: number, { skipped, templates }: SourceReader): FieldwiseError {
  const [template] = templates;
  if (template !== undefined) return templateNotRendered(template);
  const parts = describeSkipped(skipped);
  const found =
    files === 0
      ? spec.kind === 'github'
        ? 'no file with a CustomResourceDefinition'
        : 'no YAML or JSON file'
      : `no CustomResourceDefinition${parts === '' ? '' : `, only ${parts}`}`;
  return new FieldwiseError('crd-invalid', 'usage', `There is ${found}`, {
    location: { file: spec.kind === 'path' ? spec.path : spec.kind === 'stdin' ? 'standard input' : spec.text },
    next: `Pass a file that contains the CRD itself, as \`kubectl get crd NAME -o yaml\` prints it.${
      skipped.some(({ what, kind }) => what === 'document' && kind !== undefined)
        ? ' To deploy these objects as they are, run `fieldwise deploy -f FILE --stack NAME`.'
        : ''
    }`,
  });
}

function describeDocument({ document, location }: SourceDocument): Skipped {
  if (isJsonObject(document) && typeof document.kind === 'string') {
    const kind = document.kind.slice(0, 80);
    return { what: 'document', kind, text: `${location} is of kind ${JSON.stringify(kind)}` };
  }
  const what = isJsonObject(document) ? 'an object without a kind' : Array.isArray(document) ? 'a list' : `a ${typeof document}`;
  return { what: 'document', text: `${location} is ${what}` };
}
