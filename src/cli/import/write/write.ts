import { describeDiagnostics } from '../diagnostics.js';
import { requireDistinctPaths } from '../read/distinct-paths.js';
import { generateImport, type ReadImport } from '../read/read-import.js';
import { changesSince, emptyLock, type ImportLock, lockedSource, lockName, lockText, namesSince, readLock, requireFrozen } from './lock.js';
import { findStaleModules, staleModuleText } from './stale-modules.js';
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
 * that builders do not check.
 *
 * @throws FieldwiseError `lock-invalid`, `lock-differs`, `output-twice`, and the errors of `writeGenerated`.
 */
export async function writeImport(
  read: ReadImport,
  options: WriteImportOptions,
  host: { readonly stdout: (text: string) => void; readonly stderr: (text: string) => void },
): Promise<void> {
  const { cwd, output, all } = options;
  const before = await readLock(output, cwd);
  const known = before ?? emptyLock;
  const withContent = read.sources.filter(({ crds, openApi }) => crds.length + openApi.length > 0);
  const sources = Object.fromEntries(withContent.map((source) => [source.spec.text, lockedSource(source, read.usedOverlays.get(source))]));
  if (options.frozen) requireFrozen(before, sources, output);
  const { files, diagnostics, names } = await generateImport(read.units, { docs: options.docs, names: known.names });
  const lock: ImportLock = {
    fieldwise: 1,
    sources: all ? sources : { ...known.sources, ...sources },
    names: all ? names : { ...known.names, ...names },
  };
  requireDistinctPaths([
    lockName,
    ...(all ? [] : Object.keys(known.names).map((module) => `${module}.ts`)),
    ...files.map(({ path }) => path),
  ]);
  const lockFile = { path: lockName, text: lockText(lock), kinds: [] };
  const written = await writeGenerated([...files, lockFile], { cwd, output, replace: options.replace });
  for (const text of [...changesSince(known, sources), ...namesSince(known.names, names)]) host.stderr(`note: ${text}\n`);
  for (const [index, file] of files.entries()) {
    host.stdout(`${written[index]}${file.kinds.length === 0 ? '' : `: ${file.kinds.join(', ')}`}\n`);
  }
  for (const left of await findStaleModules(files, options)) host.stderr(`warning: ${staleModuleText(left, output)}\n`);
  for (const line of describeDiagnostics(diagnostics, options.allDiagnostics)) host.stderr(`${line}\n`);
}
