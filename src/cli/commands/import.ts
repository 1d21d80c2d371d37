import type { Command } from 'commander';
import { FieldwiseError } from '../../util/error.js';
import type { ImportSpec } from '../import/spec.js';

export interface ImportHost {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  /** What is piped in; standard input of the process by default. */
  readonly stdin?: AsyncIterable<Uint8Array>;
  readonly signal?: AbortSignal;
}

interface ImportFlags {
  readonly output?: string;
  readonly openapi?: string;
  readonly fromCluster?: boolean;
  readonly kubeconfig?: string;
  readonly kubeContext?: string;
  readonly listType?: readonly string[];
  readonly listTypes?: string;
  readonly docs: boolean;
  readonly replace: boolean;
  readonly frozen?: boolean;
  readonly report?: boolean;
  readonly json?: boolean;
  readonly allDiagnostics: boolean;
  readonly allowPrivateRedirects: boolean;
}

const defaultOutput = 'imports';

/** Adds `fieldwise import`: CRDs and the built-in API become typed builders. */
export function registerImport(program: Command, host: ImportHost): void {
  program
    .command('import')
    .description('write typed builders for CRDs, or for the built-in API (k8s)')
    .argument(
      '[spec...]',
      '[NAME:=]SPEC; SPEC is a file or directory of CRDs, https://…, github:owner/repo@ref[/path], - for standard input, or k8s[@version] for the built-in API (default: `imports:` of fieldwise.yaml)',
    )
    .option('-o, --output <dir>', `directory to write to (default: "${defaultOutput}")`)
    .option('--from-cluster', 'read a live cluster: SPEC names a CRD, a group or a group-version; without SPEC, every CRD')
    .option('--kubeconfig <file>', 'kubeconfig to use (default: KUBECONFIG, ~/.kube/config, the service account of a pod)')
    .option('--kube-context <name>', 'context of the kubeconfig')
    .option('--openapi <path>', 'for k8s: an OpenAPI v3 document, or a directory of them')
    .option('--list-type <kind:path=type...>', 'give a list another type than its CRD does: Gateway:.spec.listeners=map[port]')
    .option('--list-types <file>', 'a YAML file of such list types')
    .option('--no-docs', 'leave the descriptions of the schemas out')
    .option('--replace', 'also replace modules that hold kinds not imported now', false)
    .option('--frozen', 'fail when a source is not what the lock file pins')
    .option('--allow-private-redirects', 'follow redirects of an address into private networks (default: refuse them)', false)
    .option('--report', 'write nothing; print how owners share the lists and maps of the schemas')
    .option('-j, --json', 'print the report as JSON')
    .option('--all-findings', 'list every rule that only the API server checks, instead of a summary', false)
    .action((specs: string[], flags: ImportFlags) => runImport(specs, flags, host));
}

async function runImport(words: readonly string[], flags: ImportFlags, host: ImportHost): Promise<void> {
  const { loadConfig } = await import('../config.js');
  const { kubeconfig, kubeContext } = flags;
  const config = await loadConfig({ cwd: host.cwd, env: host.env ?? {}, flags: { kubeconfig, kubeContext } });
  const all = words.length === 0 && flags.fromCluster !== true;
  const specs = await specsOf(all ? config.imports : words, flags);
  // The project's own list of imports belongs to the project's directory.
  const cwd = all ? config.directory : host.cwd;
  const { readListTypes } = await import('../import/list-types.js');
  const overlays = await readListTypes([...config.listTypes, ...(flags.listType ?? [])], flags.listTypes, host.cwd);
  const { ClusterSchemas } = await import('../import/cluster.js');
  const { readImport } = await import('../import/read-import.js');
  const cluster = new ClusterSchemas({ kubeconfig: config.kubeconfig, kubeContext: config.kubeContext, signal: host.signal });
  const plan = {
    specs,
    overlays,
    // The project's list types are for all of its imports: this one may be of others.
    optionalOverlays: new Set(all ? [] : config.listTypes),
    openapi: flags.openapi,
    fromCluster: flags.fromCluster === true,
    writeShipped: flags.output !== undefined || flags.report === true,
    docs: flags.docs,
  };
  const context = {
    cwd,
    env: host.env ?? {},
    stdin: () => readStdin(host.stdin),
    cluster,
    signal: host.signal,
    allowPrivateRedirects: flags.allowPrivateRedirects,
  };
  const read = await readImport(plan, context).finally(() => cluster.close());
  for (const text of read.skipped) host.stderr(`${text}\n`);
  if (flags.report === true) {
    const { printReport } = await import('../import/report.js');
    printReport(read.units, flags.json === true, host);
    return;
  }
  if (specs.some(({ kind }) => kind === 'k8s') && flags.openapi === undefined && !plan.fromCluster && !plan.writeShipped) {
    await printShippedApi(host);
  }
  if (read.units.length === 0) return;
  const { writeImport } = await import('../import/write.js');
  const { docs, replace, allDiagnostics, frozen = false } = flags;
  await writeImport(read, { cwd, output: flags.output ?? defaultOutput, all, docs, replace, allDiagnostics: allDiagnostics, frozen }, host);
}

async function printShippedApi(host: ImportHost): Promise<void> {
  const { kubernetesVersion } = await import('../../../codegen/index.js');
  const ships = `The built-in API of Kubernetes ${kubernetesVersion} ships with Fieldwise`;
  host.stdout(`${ships}: import from 'fieldwise/k8s/apps/v1', 'fieldwise/k8s/core/v1' and so on.\n`);
  host.stdout('For the API of another version, pass its OpenAPI v3 documents with --openapi, or read a cluster with --from-cluster.\n');
}

async function specsOf(words: readonly string[], flags: ImportFlags): Promise<readonly ImportSpec[]> {
  const { parseSpec } = await import('../import/spec.js');
  const specs = words.map((word) => parseSpec(word, flags.fromCluster === true));
  if (specs.length === 0 && flags.fromCluster === true) return [parseSpec('cluster:', true)];
  if (specs.length === 0) {
    throw new FieldwiseError('imports-missing', 'usage', 'Nothing is named to import', {
      next: 'Pass a CRD file, a directory, an address or k8s, or list them as `imports:` in fieldwise.yaml',
    });
  }
  const k8s = specs.some(({ kind }) => kind === 'k8s');
  if (flags.openapi !== undefined && !k8s) {
    throw unused('--openapi says where the built-in API is read from, but k8s is not imported', 'Add k8s to the command, or leave it out');
  }
  if (flags.openapi !== undefined && flags.fromCluster === true) {
    throw unused('--openapi and --from-cluster both say where k8s is read from', 'Leave one of them out');
  }
  if (flags.json === true && flags.report !== true) throw unused('--json is the form of a report', 'Add --report, or leave --json out');
  if (flags.frozen === true && flags.report === true) throw unused('--report writes nothing that could be frozen', 'Leave --frozen out');
  return specs;
}

function unused(what: string, next: string): FieldwiseError {
  return new FieldwiseError('flag-without-use', 'usage', what, { next });
}

async function readStdin(given: AsyncIterable<Uint8Array> | undefined): Promise<string> {
  if (given === undefined && process.stdin.isTTY) {
    throw new FieldwiseError('input-missing', 'usage', 'Nothing is piped in', {
      location: { file: 'standard input' },
      next: 'Pipe CRDs in, as in `helm template CHART | fieldwise import -`',
    });
  }
  const { readBounded } = await import('../import/limits.js');
  return readBounded(given ?? process.stdin, 'standard input');
}
