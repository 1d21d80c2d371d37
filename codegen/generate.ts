import { createHash } from 'node:crypto';
import { access, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readOpenApi } from '../src/schema/index.js';
import { generateModules, kubernetesVersion } from './index.js';
import { documentsAt, documentsOfServer, documentsOfTestServer } from './openapi-source.js';

const usage = `Usage: npm run generate -- [--openapi FILE|DIR | --kubeconfig FILE | --server] [--check]
Writes \`generated/\`, the builders of the built-in API, from OpenAPI v3 documents of files, of a running server, or (\`--server\`, the
default) of the tests' kube-apiserver, which is built from the Go modules pinned in test/real-apiserver/go.mod and cached.
\`--check\` writes nothing and exits with 1 if the committed files differ. Without a source of documents it compares digests of the generated
files and of the generator's sources: it detects edited files, and generator changes that were not followed by a new run.`;

interface Manifest {
  readonly kubernetes: string;
  readonly files: Readonly<Record<string, string>>;
  readonly sources: string;
}

const root = fileURLToPath(new URL('..', import.meta.url));
const output = join(root, 'generated');
const manifestPath = join(output, 'MANIFEST.json');

const { values } = readFlags();
process.exitCode = await main().catch((error: unknown) => {
  console.error(`Generating failed: ${error instanceof Error ? error.message : String(error)}`);
  return 2;
});

function readFlags() {
  try {
    return parseArgs({
      options: {
        openapi: { type: 'string' },
        kubeconfig: { type: 'string' },
        server: { type: 'boolean', default: false },
        check: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    console.error(`${(error as Error).message}\n${usage}`);
    return process.exit(2);
  }
}

async function main(): Promise<number> {
  const documents = await findDocuments();
  if (documents === undefined) return checkDigests();
  const { roots, diagnostics, kubernetes } = { ...readOpenApi(documents), kubernetes: versionOf(documents) };
  if (kubernetes !== kubernetesVersion)
    throw new Error(`The documents are of Kubernetes ${kubernetes}; set codegen/kubernetes-version.ts.`);
  const result = await generateModules(roots, {
    builtIn: true,
    facts: true,
    command: 'npm run generate',
    runtime: (module) => `${'../'.repeat(module.split('/').length)}src/builders/index.js`,
  });
  const files = new Map(result.files.map(({ path, text }) => [path, text]));
  const manifest: Manifest = {
    kubernetes,
    files: Object.fromEntries([...files].map(([path, text]) => [path, digest(text)]).sort()),
    sources: await digestOfSources(),
  };
  files.set('MANIFEST.json', `${JSON.stringify(manifest, undefined, 2)}\n`);
  for (const { subject, path, message } of [...diagnostics, ...result.diagnostics]) console.error(`note: ${subject} ${path}: ${message}`);
  return values.check ? compare(files) : write(files);
}

async function findDocuments() {
  if (values.kubeconfig !== undefined) return documentsOfServer(values.kubeconfig);
  if (values.openapi !== undefined) return documentsAt(values.openapi);
  return values.server || !values.check ? documentsOfTestServer() : undefined;
}

function versionOf(documents: Awaited<ReturnType<typeof documentsAt>>): string {
  const info = (documents[0]?.document as { info?: { version?: string } } | undefined)?.info?.version ?? 'unknown';
  // Patch releases do not change the API.
  return /^v\d+\.\d+/.exec(info)?.[0] ?? info;
}

async function write(files: ReadonlyMap<string, string>): Promise<number> {
  for (const stale of await filesBelow(output)) if (!files.has(stale)) await rm(join(output, stale));
  for (const [path, text] of files) {
    await mkdir(dirname(join(output, path)), { recursive: true });
    await writeFile(join(output, path), text);
  }
  console.error(`Wrote ${files.size} files to generated/.`);
  return 0;
}

async function compare(files: ReadonlyMap<string, string>): Promise<number> {
  const differing: string[] = [];
  for (const [path, text] of files) if ((await readFile(join(output, path), 'utf8').catch(() => '')) !== text) differing.push(path);
  for (const path of await filesBelow(output)) if (!files.has(path)) differing.push(path);
  return report(differing, 'generated again from the OpenAPI documents and compared');
}

async function checkDigests(): Promise<number> {
  console.error('Comparing digests instead: this detects edited files and changed generators, but not a changed Kubernetes API.');
  const manifest = JSON.parse(await readFile(manifestPath, 'utf8')) as Manifest;
  const differing: string[] = [];
  const present = (await filesBelow(output)).filter((path) => path !== 'MANIFEST.json');
  for (const path of new Set([...present, ...Object.keys(manifest.files)])) {
    const text = await readFile(join(output, path), 'utf8').catch(() => '');
    if (manifest.files[path] !== digest(text)) differing.push(path);
  }
  if (manifest.sources !== (await digestOfSources())) differing.push('MANIFEST.json (the sources of the generator changed)');
  return report(differing, 'digests compared');
}

function report(differing: readonly string[], how: string): number {
  if (differing.length === 0) {
    console.error(`generated/ is up to date (${how}).`);
    return 0;
  }
  console.error(`generated/ is out of date (${how}): ${differing.toSorted().join(', ')}. Run npm run generate and commit the result.`);
  return 1;
}

/** Returns a digest of all sources that determine the output: the generator and the schema readers. */
async function digestOfSources(): Promise<string> {
  const paths = [...(await below('codegen')), ...(await below('src/schema'))];
  const hash = createHash('sha256');
  for (const path of paths.sort()) hash.update(`${path}\n${digest(await readFile(join(root, path), 'utf8'))}\n`);
  return hash.digest('hex');
}

async function below(directory: string): Promise<string[]> {
  return (await filesBelow(join(root, directory))).filter((path) => path.endsWith('.ts')).map((path) => `${directory}/${path}`);
}

async function filesBelow(directory: string): Promise<string[]> {
  if (!(await exists(directory))) return [];
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)).replaceAll('\\', '/'));
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
