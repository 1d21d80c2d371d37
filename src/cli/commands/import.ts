import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { Finding, OpenApiDocument, RootType } from '../../schema/index.js';
import { FieldwiseError } from '../../util/error.js';

export interface ImportHost {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  readonly cwd: string;
}

interface ImportFlags {
  readonly output: string;
  readonly openapi?: string;
  readonly docs: boolean;
  readonly replace: boolean;
  readonly allFindings: boolean;
}

/** Adds `fieldwise import`: CRDs and the built-in API become typed builders. */
export function registerImport(program: Command, host: ImportHost): void {
  program
    .command('import')
    .description('write typed builders for CRDs, or for the built-in API (k8s)')
    .argument('<spec...>', 'CRD files or directories (YAML or JSON), or k8s for the built-in API')
    .option('-o, --output <dir>', 'directory to write to', 'imports')
    .option('--openapi <path>', 'for k8s: an OpenAPI v3 document, or a directory of them')
    .option('--no-docs', 'leave the descriptions of the schemas out')
    .option('--replace', 'also replace modules that hold kinds not imported now', false)
    .option('--all-findings', 'list every rule that only the API server checks, instead of a summary', false)
    .action((specs: string[], flags: ImportFlags) => runImport(specs, flags, host));
}

async function runImport(specs: readonly string[], flags: ImportFlags, host: ImportHost): Promise<void> {
  // Loaded by this command only.
  const { generateModules } = await import('../../../codegen/index.js');
  const { readCrdSources } = await import('./import-source.js');
  const { writeGenerated } = await import('./import-output.js');
  const builtIn = specs.includes('k8s');
  const sources = specs.filter((spec) => spec !== 'k8s');
  if (flags.openapi !== undefined && !builtIn) {
    throw new FieldwiseError('flag-without-use', 'usage', '--openapi says where the built-in API is read from, but k8s is not imported', {
      next: 'Add k8s to the command, or leave --openapi out',
    });
  }
  const files = [];
  const findings: Finding[] = [];
  if (builtIn && flags.openapi === undefined) {
    host.stdout("The built-in API ships with Fieldwise: import from 'fieldwise/k8s/apps/v1', 'fieldwise/k8s/core/v1' and so on.\n");
    host.stdout('For the API of another Kubernetes version, pass its OpenAPI v3 documents with --openapi.\n');
  } else if (builtIn) {
    const read = await readOpenApiSource(flags.openapi as string, flags.docs, host.cwd);
    const result = await generateModules(read.roots, { docs: flags.docs, builtIn: true });
    files.push(...result.files);
    findings.push(...read.findings, ...result.findings);
  }
  if (sources.length > 0) {
    const crds = await readCrdSources(sources, host.cwd);
    for (const text of crds.skipped) host.stderr(`${text}\n`);
    const result = await generateModules(crds.roots, { docs: flags.docs });
    files.push(...result.files);
    findings.push(...crds.findings, ...result.findings);
  }
  if (files.length === 0) return;
  const written = await writeGenerated(files, { cwd: host.cwd, output: flags.output, replace: flags.replace });
  for (const [index, path] of written.entries()) host.stdout(`${path}${kindsOf(files[index]?.kinds ?? [])}\n`);
  const { describeFindings } = await import('./import-findings.js');
  for (const line of describeFindings(findings, flags.allFindings)) host.stderr(`${line}\n`);
}

async function readOpenApiSource(
  source: string,
  docs: boolean,
  cwd: string,
): Promise<{ readonly roots: readonly RootType[]; readonly findings: readonly Finding[] }> {
  const { readOpenApi } = await import('../../schema/index.js');
  const path = resolve(cwd, source);
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) {
    throw new FieldwiseError('input-missing', 'usage', 'There is no such file or directory', {
      place: { file: source },
      next: 'Pass an OpenAPI v3 document of a kube-apiserver, or a directory of them',
    });
  }
  const names = found.isDirectory() ? (await readdir(path)).filter((name) => name.endsWith('.json')).sort() : [''];
  const documents: OpenApiDocument[] = [];
  for (const name of names) {
    const shown = name === '' ? source : join(source, name);
    const document = parseJson(await readFile(join(path, name), 'utf8'), shown);
    // A directory may hold an index beside the documents.
    if (name !== '' && (document as { openapi?: unknown } | null)?.openapi === undefined) continue;
    documents.push({ name: shown, document });
  }
  const result = readOpenApi(documents, { docs });
  if (result.roots.length > 0) return result;
  throw new FieldwiseError('openapi-invalid', 'usage', 'The documents serve no kind that can be applied', {
    place: { file: source },
    next: 'Pass documents of the API server’s /openapi/v3, such as /openapi/v3/apis/apps/v1, with their paths',
  });
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new FieldwiseError(
      'openapi-invalid',
      'usage',
      `The document is no JSON: ${cause instanceof Error ? cause.message : String(cause)}`,
      {
        place: { file },
        next: 'Pass OpenAPI v3 documents as the API server answers them',
        cause,
      },
    );
  }
}

function kindsOf(kinds: readonly string[]): string {
  return kinds.length === 0 ? '' : `: ${kinds.join(', ')}`;
}
