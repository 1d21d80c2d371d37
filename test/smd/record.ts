import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Records the calls that the tests of structured-merge-diff make, with their results. The functions are renamed in a copy of the module,
 * and functions of our own with the old names call them and write each call down. `npm run campaign -- smd:record`, with Go.
 */
const module = 'sigs.k8s.io/structured-merge-diff/v6@v6.3.3';
const here = fileURLToPath(new URL('.', import.meta.url));

/** The functions that are recorded, by file: receiver and names. */
const recorded: readonly (readonly [file: string, receiver: string, names: string])[] = [
  ['typed/typed.go', '\\(tv TypedValue\\) ', 'Validate|ToFieldSet|Merge|Compare|RemoveItems|ExtractItems'],
  ['typed/reconcile_schema.go', '', 'ReconcileFieldSetWithSchema'],
  ['merge/update.go', '\\(s \\*Updater\\) ', 'Update|Apply'],
  ['fieldpath/set.go', '\\(s \\*Set\\) ', 'Union|Intersection|Difference|RecursiveDifference|Leaves'],
  ['fieldpath/serialize-pe.go', '', 'DeserializePathElement'],
  ['value/value.go', '', 'Compare'],
];

/** Calls that the tests of other packages make in passing say nothing new. */
const wanted: Readonly<Record<string, (op: string) => boolean>> = {
  merge: (op) => op !== 'order',
  typed: (op) => op !== 'order',
  fieldpath: (op) => op !== 'order',
  value: (op) => op === 'order',
};
/** The largest call that is kept, in characters; larger ones repeat the same cases with whole Kubernetes objects. */
const maxLength = 8000;

const directory = mkdtempSync(path.join(tmpdir(), 'smd-'));
try {
  const { Dir } = JSON.parse(execFileSync('go', ['mod', 'download', '-json', module], { encoding: 'utf8' })) as { Dir: string };
  cpSync(Dir, directory, { recursive: true });
  execFileSync('chmod', ['-R', 'u+w', directory]);
  instrument();
  const schemas = new Map<string, number>();
  const lines: string[] = [];
  for (const [name, isWanted] of Object.entries(wanted)) {
    const file = path.join(directory, `${name}.jsonl`);
    execFileSync('go', ['test', `./${name}`], { cwd: directory, env: { ...process.env, FIELDWISE_RECORD: file }, stdio: 'inherit' });
    for (const line of existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []) {
      if (line === '') continue;
      const call = JSON.parse(line) as { op: string };
      if (!isWanted(call.op)) continue;
      const text = JSON.stringify(call, (key, value: unknown) => (isSchema(key, value) ? indexOf(schemas, value) : value));
      if (text.length <= maxLength) lines.push(text);
    }
  }
  mkdirSync(path.join(here, 'recorded'), { recursive: true });
  writeFileSync(path.join(here, 'recorded', 'schemas.json'), `${JSON.stringify([...schemas.keys()], undefined, 1)}\n`);
  writeFileSync(path.join(here, 'recorded', 'calls.jsonl'), `${[...new Set(lines)].toSorted().join('\n')}\n`);
  process.stdout.write(`${new Set(lines).size} calls, ${schemas.size} schemas\n`);
} finally {
  rmSync(directory, { recursive: true, force: true });
}

function instrument(): void {
  mkdirSync(path.join(directory, 'internal', 'record'));
  cpSync(path.join(here, 'recorder', 'record.go.txt'), path.join(directory, 'internal', 'record', 'record.go'));
  for (const name of Object.keys(wanted)) {
    cpSync(path.join(here, 'recorder', `${name}.go.txt`), path.join(directory, name, 'fieldwise.go'));
  }
  for (const [file, receiver, names] of recorded) {
    const source = readFileSync(path.join(directory, file), 'utf8');
    const renamed = source.replaceAll(
      new RegExp(`^func (${receiver})(${names})\\(`, 'gm'),
      (_, before: string, name: string) => `func ${before}${name[0]?.toLowerCase()}${name.slice(1)}0(`,
    );
    writeFileSync(path.join(directory, file), renamed);
  }
}

function isSchema(key: string, value: unknown): value is string {
  return (key === 'schema' || key === 'objectSchema') && typeof value === 'string';
}

function indexOf(schemas: Map<string, number>, text: string): number {
  const index = schemas.get(text) ?? schemas.size;
  schemas.set(text, index);
  return index;
}
