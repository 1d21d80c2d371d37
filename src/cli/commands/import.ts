import type { Command } from 'commander';
import type { SampleObject } from '../../schema/index.js';
import { exitCodeOf, FieldwiseError } from '../../util/error.js';
import { isJsonObject } from '../../util/json.js';
import { addKubeconfigFlags } from '../cluster/open-cluster.js';
import { jsonOption } from '../config/flags.js';
import type { ModuleGroup } from '../import/read/read-import.js';
import type { ImportSpec } from '../import/read/spec.js';

/** The output and input of `fieldwise import`. */
export interface ImportHost {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  /** The input for the source `-`; standard input of the process if absent. */
  readonly stdin?: AsyncIterable<Uint8Array>;
  readonly signal?: AbortSignal;
  /** Sets the exit code with which the process ends after the command. */
  setExitCode(code: number): void;
}

interface ImportFlags {
  readonly outdir?: string;
  readonly openapi?: string;
  readonly fromCluster?: boolean;
  readonly kubeconfig?: string;
  readonly kubeContext?: string;
  readonly listType?: readonly string[];
  readonly listTypes?: string;
  readonly docs: boolean;
  readonly replace?: boolean;
  readonly frozen?: boolean;
  readonly report?: boolean;
  readonly samples?: string;
  readonly json?: boolean;
  readonly allDiagnostics?: boolean;
  readonly allowPrivateRedirects?: boolean;
  /** A flag of the program. */
  readonly verbose?: boolean;
}

const defaultOutput = 'imports';

/** Adds `fieldwise import`, which generates typed builders for CRDs and for the built-in API. */
export function registerImport(program: Command, host: ImportHost): void {
  const command = program
    .command('import')
    .summary('generate typed builders for CRDs')
    .description(
      'Generates typed builders (TypeScript) for CRDs, or for the built-in API of Kubernetes, and a lock file that pins their sources.',
    )
    .argument(
      '[spec...]',
      '[NAME:=]SPEC; SPEC is a CRD file, a directory of CRD files, an https:// URL, github:OWNER/REPO@REF[/PATH], - for standard input, or k8s[@VERSION] for the built-in API; files may be compressed with gzip, and may be tar archives; NAME is a prefix of the generated directories, which keeps sources of the same API group apart (default: `imports` in fieldwise.yaml)',
    )
    .option(
      '--outdir <directory>',
      `directory for the builders; builders of k8s ship with Fieldwise, and are written only if this flag is set (default: ${defaultOutput})`,
    )
    .option(
      '--from-cluster',
      'read the sources from a cluster: SPEC is the name of a CRD, an API group, a group-version such as apps/v1, or k8s (default: every CRD)',
    );
  addKubeconfigFlags(command)
    .option(
      '--openapi <path>',
      'for k8s: OpenAPI v3 document of an API server, or a directory of such documents (default: the API that ships with Fieldwise)',
    )
    .option(
      '--list-type <kind:path=type...>',
      'override the list type that a CRD declares, as in Gateway:.spec.listeners=map[port]; the type is map[KEY,…], set or atomic; repeatable',
    )
    .option('--list-types <file>', "YAML file with list types as for --list-type, such as Gateway: { .spec.listeners: 'map[port]' }")
    .option('--no-docs', 'leave out the descriptions of the schemas (default: write them as doc comments)')
    .option('--replace', 'also overwrite a generated module with kinds that are not part of this import (default: fail)')
    .option(
      '--frozen',
      'fail, and write nothing, if a source differs from the lock file or a module from what the import writes (default: update them)',
    )
    .option('--allow-private-redirects', 'follow redirects into private networks (default: refuse them)')
    .option('--report', 'print how several owners can share the lists and maps of the schemas, and write nothing')
    .option(
      '--samples <path>',
      'with --report: objects of these kinds, as a YAML or JSON file or a directory of them; two items of a list with the same keys refute a suggestion of keys',
    )
    .addOption(jsonOption('with --report: text, or json: one kind per line (default: text)'))
    .option('--all-diagnostics', 'list every rule that only the API server checks (default: a summary for each kind)')
    .action((specs: string[]) => runImport(specs, command.optsWithGlobals(), host));
}

async function runImport(words: readonly string[], flags: ImportFlags, host: ImportHost): Promise<void> {
  const { cluster, plan, context, settings, all } = await prepareImport(words, flags, host);
  const { importKey, recallImport, rememberImport, unchangedText } = await import('../import/remembered-import.js');
  const isRepeatable = flags.report !== true && flags.allDiagnostics !== true;
  const key = isRepeatable ? await importKey(settings, context) : undefined;
  const known = await recallImport(key, settings);
  if (known !== undefined) {
    if (known.notes !== '') host.stderr(known.notes);
    host.stdout(unchangedText(known.unchanged));
    return;
  }
  const { readImport } = await import('../import/read/read-import.js');
  const read = await readImport(plan, context).finally(() => cluster.close());
  const { reportSources } = await import('../import/report-sources.js');
  const { text: notes, host: noting } = noted(host);
  const problem = reportSources(read.sources, flags.verbose === true, noting);
  if (problem !== undefined) host.setExitCode(exitCodeOf(problem));
  if (flags.report === true) return reportImport(read.units, flags, host);
  if (plan.specs.some(({ kind }) => kind === 'k8s') && flags.openapi === undefined && !plan.fromCluster && !plan.writeShipped) {
    await printShippedApi(host);
  }
  if (read.units.length === 0) return;
  const { writeImport } = await import('../import/write/write.js');
  const { docs, replace = false, allDiagnostics = false, frozen = false } = flags;
  const { cwd, output } = settings;
  const written = await writeImport(read, { cwd, output, all, docs, replace, allDiagnostics, frozen }, host);
  // An import that met the same bytes before and after has proven them; another one may write sources or modules meanwhile.
  if (key === undefined || problem !== undefined || key !== (await importKey(settings, context))) return;
  await rememberImport(key, settings, { unchanged: written.files, notes: notes() + written.stale });
}

/** Reads configuration and flags into the request of an import. */
async function prepareImport(words: readonly string[], flags: ImportFlags, host: ImportHost) {
  const { loadConfig } = await import('../config/config.js');
  const { kubeconfig, kubeContext } = flags;
  const config = await loadConfig({ cwd: host.cwd, env: host.env ?? {}, flags: { kubeconfig, kubeContext }, needsKubeconfig: true });
  const all = words.length === 0 && flags.fromCluster !== true;
  const specs = await specsOf(all ? config.imports : words, flags);
  // Paths in the project's list of imports are relative to the project.
  const cwd = all ? config.directory : host.cwd;
  const { readListTypes } = await import('../import/list-types.js');
  const overlays = await readListTypes([...config.listTypes, ...(flags.listType ?? [])], flags.listTypes, host.cwd);
  const { ClusterSchemas } = await import('../import/read/cluster.js');
  const cluster = new ClusterSchemas({ kubeconfig: config.kubeconfig, kubeContext: config.kubeContext, signal: host.signal });
  const plan = {
    specs,
    overlays,
    // The project's list types cover all of its imports, of which this command may read only some.
    optionalOverlays: new Set(all ? [] : config.listTypes),
    openapi: flags.openapi,
    fromCluster: flags.fromCluster === true,
    writeShipped: flags.outdir !== undefined || flags.report === true,
    docs: flags.docs,
  };
  const context = {
    cwd,
    env: host.env ?? {},
    stdin: () => readStdin(host.stdin),
    cluster,
    signal: host.signal,
    allowPrivateRedirects: flags.allowPrivateRedirects === true,
  };
  const listTypes = { given: overlays.map(({ text }) => text), optional: [...plan.optionalOverlays] };
  const options = { all, docs: flags.docs, verbose: flags.verbose === true, listTypes };
  return { cluster, plan, context, all, settings: { specs, output: flags.outdir ?? defaultOutput, cwd, options } };
}

async function reportImport(units: readonly ModuleGroup[], flags: ImportFlags, host: ImportHost): Promise<void> {
  const { readSamples } = await import('../import/read/samples.js');
  const { samples, skipped } = flags.samples === undefined ? { samples: [], skipped: [] } : await readSamples(flags.samples, host.cwd);
  for (const text of skipped) host.stderr(`${text}\n`);
  const kinds = new Set(units.flatMap(({ roots }) => roots.map(({ apiVersion, kind }) => `${apiVersion.split('/')[0]} ${kind}`)));
  const isOfKinds = ({ value }: SampleObject) =>
    isJsonObject(value) && kinds.has(`${String(value.apiVersion).split('/')[0]} ${value.kind}`);
  if (flags.samples !== undefined && !samples.some(isOfKinds)) {
    host.stderr(`warning: none of the samples is of an imported kind, so they change nothing\n`);
  }
  const { printReport } = await import('../import/report.js');
  await printReport(units, samples, flags.json === true, host);
}

/** Returns a host that keeps what is written to standard error, too. */
function noted(host: ImportHost): { readonly text: () => string; readonly host: Pick<ImportHost, 'stderr'> } {
  let text = '';
  const stderr = (part: string) => {
    text += part;
    host.stderr(part);
  };
  return { text: () => text, host: { stderr } };
}

async function printShippedApi(host: ImportHost): Promise<void> {
  const { kubernetesVersion } = await import('../../../codegen/index.js');
  const ships = `The built-in API of Kubernetes ${kubernetesVersion} ships with Fieldwise`;
  host.stdout(`${ships}: import from 'fieldwise/k8s/apps/v1', 'fieldwise/k8s/core/v1' and so on.\n`);
  host.stdout('For the API of another version, pass its OpenAPI v3 documents with --openapi, or read a cluster with --from-cluster.\n');
}

async function specsOf(words: readonly string[], flags: ImportFlags): Promise<readonly ImportSpec[]> {
  const { parseSpec } = await import('../import/read/spec.js');
  const specs = words.map((word) => parseSpec(word, flags.fromCluster === true));
  if (specs.length === 0 && flags.fromCluster === true) return [parseSpec('cluster:', true)];
  if (specs.length === 0) {
    throw new FieldwiseError('imports-missing', 'usage', 'No source to import is named', {
      next: 'Pass a CRD file, a directory, an address or k8s, or list sources as `imports` in fieldwise.yaml.',
    });
  }
  const k8s = specs.some(({ kind }) => kind === 'k8s');
  if (flags.openapi !== undefined && !k8s) {
    throw unused(
      '--openapi has no effect: it is a source of the built-in API, and k8s is not imported',
      'Add k8s, or leave out --openapi.',
    );
  }
  if (flags.openapi !== undefined && flags.fromCluster === true) {
    throw unused('--openapi and --from-cluster cannot be combined: both are sources of k8s', 'Leave one of them out.');
  }
  if (flags.json === true && flags.report !== true)
    throw unused('-o json has no effect without --report', 'Add --report, or leave out -o json.');
  if (flags.samples !== undefined && flags.report !== true)
    throw unused('--samples has no effect without --report', 'Add --report, or leave out --samples.');
  if (flags.frozen === true && flags.report === true)
    throw unused('--frozen has no effect with --report, which writes nothing', 'Leave out --frozen.');
  return specs;
}

function unused(what: string, next: string): FieldwiseError {
  return new FieldwiseError('flag-without-use', 'usage', what, { next });
}

async function readStdin(given: AsyncIterable<Uint8Array> | undefined): Promise<Buffer> {
  if (given === undefined && process.stdin.isTTY) {
    throw new FieldwiseError('input-missing', 'usage', 'Standard input is a terminal', {
      location: { file: 'standard input' },
      next: 'Pipe CRDs to the command, such as `helm template --include-crds CHART | fieldwise import -`.',
    });
  }
  const { readBounded } = await import('../../schema/read/source-limits.js');
  return readBounded(given ?? process.stdin, 'standard input');
}
