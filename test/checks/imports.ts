import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** What a room of `src` may import from besides `util` and itself, and so also what those may. The table of the architecture. */
const rooms: Readonly<Record<string, readonly string[]>> = {
  util: [],
  fields: [],
  schema: [],
  merge: ['fields', 'schema'],
  ownership: ['fields', 'schema', 'merge'],
  builders: ['schema'],
  app: ['builders', 'schema'],
  assembly: [],
  synth: ['app', 'assembly', 'ownership'],
  cluster: [],
  deploy: ['assembly', 'cluster', 'ownership', 'generated'],
  controller: ['cluster', 'builders', 'ownership'],
  embedded: ['merge', 'schema', 'ownership', 'generated'],
};

/** Libraries that only some places may import. */
const confined: readonly { readonly libraries: readonly string[]; readonly places: readonly string[] }[] = [
  { libraries: ['ts-morph', 'json-schema-to-typescript', 'typescript'], places: ['codegen'] },
  { libraries: ['cdk8s', 'cdk8s-plus-33', 'constructs'], places: ['src/app', 'src/synth'] },
  { libraries: ['@kubernetes/client-node'], places: ['src/cluster'] },
  { libraries: ['vitest', 'fast-check', 'tsx', 'projen'], places: [] },
];

/** What costs start-up time: nothing that the command line loads at once may import it. */
const heavy = ['yaml', 'jiti', 'valibot', ...confined.flatMap(({ libraries }) => libraries)];

interface Import {
  readonly file: string;
  readonly line: number;
  /** A path below the root, or a package as written. */
  readonly target: string;
  readonly form: 'static' | 'type' | 'dynamic';
}

/** Every import that breaks a rule, as a sentence with file and line. */
export function importViolations(root: string): string[] {
  const imports = ['src', 'codegen', 'generated'].flatMap((top) => sourceFiles(root, top)).flatMap((file) => importsOf(root, file));
  return [...imports.flatMap(misplacedLibrary), ...imports.flatMap(wrongDirection), ...heavyAtStart(imports)];
}

function misplacedLibrary({ file, line, target }: Import): string[] {
  const rule = confined.find(({ libraries }) => libraries.some((library) => isPartOf(target, library)));
  if (rule === undefined || rule.places.some((place) => isPartOf(file, place))) return [];
  return [
    `${file}:${line} imports ${target}, which ${rule.places.length > 0 ? `only ${rule.places.join(' and ')} may` : 'nothing we ship may'}`,
  ];
}

function wrongDirection({ file, line, target }: Import): string[] {
  const [from, to] = [roomOf(file), roomOf(target)];
  if (from === undefined || to === undefined || from === to || to === 'util' || from === 'cli' || from === 'index') return [];
  const allowed = from === 'codegen' ? reachable('builders') : from === 'generated' ? reachable('app') : reachable(from);
  return allowed.has(to) ? [] : [`${file}:${line} imports ${target}: ${from} may not import from ${to}`];
}

/** Follows static imports from the command line's entry: what it reaches is loaded on every start, even for `--version`. */
function heavyAtStart(imports: readonly Import[]): string[] {
  const seen = new Set<string>();
  const violations: string[] = [];
  const walk = (file: string, via: string) => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const { line, target, form } of imports.filter((entry) => entry.file === file)) {
      if (form !== 'static') continue;
      if (heavy.some((library) => isPartOf(target, library))) {
        violations.push(`${file}:${line} imports ${target} on every start of the command line (${via}${file}): import it dynamically`);
      }
      walk(target.replace(/\.js$/, '.ts'), `${via}${file} → `);
    }
  };
  walk('src/cli/main.ts', '');
  return violations;
}

function reachable(room: string): Set<string> {
  const direct = rooms[room] ?? [];
  return new Set(direct.flatMap((next) => [next, ...reachable(next)]));
}

/** `src/app/stack.ts` → `app`, `src/index.ts` → `index`, `codegen/emit.ts` → `codegen`; packages have no room. */
function roomOf(path: string): string | undefined {
  const [top, second, third] = path.split('/');
  if (top === 'codegen' || top === 'generated') return top;
  if (top !== 'src') return undefined;
  return third === undefined ? 'index' : second;
}

function importsOf(root: string, file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8');
  const pattern = /^[ \t]*(?:import|export)\s+(type\s)?(?:[^'";]*?\sfrom\s*)?['"]([^'"\n]+)['"]|\bimport\(\s*['"]([^'"\n]+)['"]\s*\)/gm;
  return [...text.matchAll(pattern)].map((match) => {
    const specifier = match[2] ?? match[3]!;
    return {
      file,
      line: text.slice(0, match.index).split('\n').length,
      target: specifier.startsWith('.') ? relative(root, resolve(root, dirname(file), specifier)) : specifier,
      form: match[3] !== undefined ? 'dynamic' : match[1] !== undefined ? 'type' : 'static',
    };
  });
}

function isPartOf(path: string, whole: string): boolean {
  return path === whole || path.startsWith(`${whole}/`);
}

function sourceFiles(root: string, top: string): string[] {
  if (!existsSync(join(root, top))) return [];
  return readdirSync(join(root, top), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${top}/${name}`)
    .sort();
}
