import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { GeneratedFile, LockedNames } from '../../../../codegen/index.js';
import type { SchemaDiagnostic } from '../../../schema/index.js';
import { FieldwiseError } from '../../../util/error.js';
import { describeDiagnostics } from '../diagnostics.js';
import { requireDistinctPaths } from '../read/distinct-paths.js';
import type { ReadImport } from '../read/read-import.js';
import { unchangedText } from '../remembered-import.js';
import { generatePart } from './generate-import.js';
import { generationParts } from './generation-part.js';
import type { LockedFiles } from './lock.js';
import { changesSince, emptyLock, type ImportLock, lockedSource, lockName, lockText, namesSince, readLock, requireFrozen } from './lock.js';
import { movedMethods } from './moved-methods.js';
import { withOutputLock } from './output-lock.js';
import { findStaleModules, staleModuleText } from './stale-modules.js';
import { generatorDigest, lockedFiles, lockedPart, namesOfModules, partDigest, unchangedFiles } from './unchanged.js';
import { writeGenerated } from './write-generated.js';

export interface WriteImportOptions {
  readonly cwd: string;
  /** The output directory as the user named it. */
  readonly output: string;
  /** The whole project is imported: other entries of the lock file are removed. */
  readonly all: boolean;
  readonly docs: boolean;
  readonly replace: boolean;
  readonly allDiagnostics: boolean;
  readonly frozen: boolean;
}

/**
 * Generates the builders, writes them with the lock file, and prints the written files, the changes since the last import, and the rules
 * that builders do not check. Files that the lock file proves to be as they would be generated are not generated again.
 *
 * @throws FieldwiseError `lock-invalid`, `lock-differs`, `output-twice`, and the errors of `writeGenerated`.
 */
export async function writeImport(
  read: ReadImport,
  options: WriteImportOptions,
  host: { readonly stdout: (text: string) => void; readonly stderr: (text: string) => void },
): Promise<WrittenImport> {
  const { cwd, output } = options;
  const before = await readLock(output, cwd);
  const known = before ?? emptyLock;
  const withContent = read.sources.filter(({ crds, openApi }) => crds.length + openApi.length > 0);
  const sources = Object.fromEntries(withContent.map((source) => [source.spec.text, lockedSource(source, read.usedOverlays.get(source))]));
  if (options.frozen) requireFrozen(before, sources, output);
  const { files, unchanged, diagnostics, names, generated } = await generate(read, known, options);
  const moved = await movedMethods(files, options);
  if (options.frozen) await requireWritten(files, options);
  const write = () => writeWithLock({ files, unchanged, sources, names, generated }, known, options);
  const written = options.frozen ? await write() : await withOutputLock(resolve(cwd, output), write);
  for (const text of [...changesSince(known, sources), ...namesSince(known.names, names)]) host.stderr(`note: ${text}\n`);
  for (const [index, file] of files.entries()) {
    host.stdout(`${written[index]}${file.kinds.length === 0 ? '' : `: ${file.kinds.join(', ')}`}\n`);
  }
  if (unchanged.length > 0) host.stdout(unchangedText(unchanged.length));
  const left = await findStaleModules([...files, ...unchanged], options);
  const stale = left.map((module) => `warning: ${staleModuleText(module, output)}\n`).join('');
  if (stale !== '') host.stderr(stale);
  for (const text of moved) host.stderr(`warning: ${text}\n`);
  for (const text of patchedTexts(read, output)) host.stderr(`note: ${text}\n`);
  for (const line of describeDiagnostics(diagnostics, options.allDiagnostics)) host.stderr(`${line}\n`);
  return { files: files.length + unchanged.length, stale };
}

/** Refuses generated files that are not as this import would write them, for `--frozen`. */
async function requireWritten(files: readonly GeneratedFile[], { cwd, output }: WriteImportOptions): Promise<void> {
  for (const { path, text } of files) {
    const present = await readFile(resolve(cwd, output, path), 'utf8').catch(() => undefined);
    if (present?.replaceAll('\r\n', '\n') === text) continue;
    throw new FieldwiseError(
      'lock-differs',
      'usage',
      `The module is ${present === undefined ? 'missing' : 'not as this import writes it'}`,
      {
        location: { file: join(output, path) },
        next: 'Run the import without --frozen, and commit the builders and the lock file.',
      },
    );
  }
}

/** Returns what to do with CRDs whose list types were overridden: builders alone change nothing in the server. */
function patchedTexts(read: ReadImport, output: string): readonly string[] {
  return generationParts(read.units).flatMap(({ patched, key }) =>
    patched.map(({ spec }) => {
      const { plural } = (spec as { readonly names: { readonly plural: string } }).names;
      return `apply ${output}/${key}/${plural}.crd.yaml to the cluster in place of the author's CRD: until then, the server merges its lists as before`;
    }),
  );
}

/** Writes the files and the lock file, with what other imports have written into the latter meanwhile. */
async function writeWithLock(
  { files, unchanged, sources, names, generated }: Omit<GeneratedImport, 'diagnostics'> & Pick<ImportLock, 'sources'>,
  known: ImportLock,
  { cwd, output, all, replace }: WriteImportOptions,
): Promise<readonly string[]> {
  const others = (await readLock(output, cwd)) ?? emptyLock;
  const lock: ImportLock = {
    fieldwise: 1,
    sources: all ? sources : { ...others.sources, ...sources },
    names: all ? names : { ...others.names, ...names },
    generated: all ? generated : { ...others.generated, ...generated },
  };
  requireDistinctPaths([
    lockName,
    ...(all ? [] : Object.keys(known.names).map((module) => `${module}.ts`)),
    ...[...files, ...unchanged].map(({ path }) => path),
  ]);
  const lockFile = { path: lockName, text: lockText(lock), kinds: [] };
  const isLocked = (await readFile(resolve(cwd, output, lockName), 'utf8').catch(() => undefined)) === lockFile.text;
  return writeGenerated(isLocked ? files : [...files, lockFile], { cwd, output, replace });
}

/** The result of an import. */
export interface WrittenImport {
  /** The number of files that were written, or found as they would be written. */
  readonly files: number;
  /** The warnings about modules of earlier imports. */
  readonly stale: string;
}

interface GeneratedImport {
  readonly files: readonly GeneratedFile[];
  readonly unchanged: readonly GeneratedFile[];
  readonly diagnostics: readonly SchemaDiagnostic[];
  readonly names: LockedNames;
  readonly generated: Readonly<Record<string, LockedFiles>>;
}

async function generate(read: ReadImport, known: ImportLock, options: WriteImportOptions): Promise<GeneratedImport> {
  const { docs, cwd, output } = options;
  const generator = await generatorDigest();
  const files: GeneratedFile[] = [];
  const unchanged: GeneratedFile[] = [];
  const diagnostics: SchemaDiagnostic[] = [];
  const names: Record<string, LockedNames[string]> = {};
  const generated: Record<string, LockedFiles> = {};
  for (const part of generationParts(read.units)) {
    // Diagnostics come from generating, so nothing is left out if they are asked for.
    const same =
      generator === undefined || options.allDiagnostics ? undefined : await unchangedFiles(part, known, { generator, docs, cwd, output });
    if (same !== undefined) {
      requireOnce([...files, ...unchanged], same);
      unchanged.push(...same);
      const locked = known.generated?.[part.key] as LockedFiles;
      generated[part.key] = locked;
      Object.assign(names, namesOfModules(known.names, locked.files));
      continue;
    }
    const result = await generatePart(part, { docs, names: known.names });
    requireOnce([...files, ...unchanged], result.files);
    files.push(...result.files);
    diagnostics.push(...result.diagnostics);
    Object.assign(names, result.names);
    if (generator !== undefined) {
      const from = partDigest(part, { generator, docs, names: result.names });
      generated[part.key] = lockedFiles(from, result.files, lockedPart(known, part.key));
    }
  }
  return { files, unchanged, diagnostics, names, generated };
}

function requireOnce(before: readonly GeneratedFile[], files: readonly GeneratedFile[]): void {
  const paths = new Set(before.map(({ path }) => path));
  const twice = files.find(({ path }) => paths.has(path));
  if (twice === undefined) return;
  throw new FieldwiseError('output-twice', 'usage', `Two sources of this import would write ${twice.path}`, {
    next: 'Separate them with NAME:=SPEC, or import them into different directories with --outdir.',
  });
}
