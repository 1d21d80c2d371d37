import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/**
 * The rooms of `src` that a room may import from, besides itself and those that they may import from: the table of ARCHITECTURE.md.
 * `util` is open to every room, and `fields`, which imports nothing else: it has what reads paths and the metadata of any object.
 */
export const rooms: Readonly<Record<string, readonly string[]>> = {
  util: [],
  fields: [],
  schema: [],
  merge: ['fields', 'schema'],
  ownership: ['fields', 'schema', 'merge'],
  builders: ['schema'],
  assembly: [],
  app: ['builders', 'schema', 'assembly'],
  synth: ['app', 'assembly', 'ownership'],
  kubernetes: [],
  engine: ['assembly', 'kubernetes', 'ownership', 'generated'],
  plan: ['engine'],
  rules: ['engine'],
  inspect: ['plan', 'engine'],
  deploy: ['inspect', 'plan', 'engine'],
  controller: ['kubernetes', 'builders', 'ownership'],
  apiserver: ['merge', 'schema', 'ownership', 'generated'],
  entry: ['synth', 'deploy', 'controller', 'apiserver', 'rules'],
  testing: ['entry'],
  cli: ['entry', 'codegen'],
  codegen: ['builders'],
};

/**
 * The folders of rooms that have an order, by floor from the ground: the tables of ARCHITECTURE.md and of the room's own README. A folder
 * imports from lower floors only, so those of one floor do not import each other. `.` is the files beside the folders.
 */
export const floors: Readonly<Record<string, readonly (readonly string[])[]>> = {
  engine: [
    ['addresses'],
    ['graph'],
    ['report'],
    ['secrets', 'inventory'],
    ['history', 'lock', 'field-changes'],
    ['run'],
    ['live'],
    ['object'],
    ['client-side-apply'],
    ['prepare', 'apply'],
    ['transfer'],
    ['release', 'repairs'],
    ['removal', 'readiness', 'guards', 'pruners'],
  ],
  apiserver: [
    ['api', 'storage', 'cel'],
    ['patch', 'policies'],
    ['registry'],
    ['http', 'custom'],
    ['built-in', 'webhooks'],
    ['conversion', 'tables'],
    ['authentication'],
    ['authorization'],
    ['resources', 'admission'],
    ['write'],
    ['verbs', 'controllers'],
    ['discovery', 'aside'],
    ['.'],
  ],
  cli: [
    ['process'],
    ['config'],
    ['files', 'gitops'],
    ['cluster', 'init'],
    ['explain', 'completion'],
    ['json'],
    ['render'],
    ['documents', 'comment', 'html'],
    ['program', 'import'],
    ['commands'],
    ['.'],
  ],
};

/** The document with the floors of a room; ARCHITECTURE.md if it is not named. */
const printedIn: Readonly<Record<string, string>> = { apiserver: 'src/apiserver/README.md' };

/** The rooms that every other room may import. */
const ground: readonly string[] = ['util', 'fields'];

/** The doors of the API server, a product of its own, and the rooms that may open them; the second one loads a fifth of the code. */
const doors: readonly string[] = ['src/apiserver/index.js', 'src/apiserver/schema-errors.js'];
const openers: readonly string[] = ['entry', 'testing'];

/** The steps of admission: files of other folders ask `Admission`, so that each request passes them in one order. */
const stepsOfAdmission: readonly string[] = ['admit', 'admit-built-in', 'policy-admission', 'webhook-dispatcher'].map(
  (name) => `src/apiserver/admission/${name}.js`,
);

/** Libraries that only some rooms may import. */
const confined: readonly { readonly libraries: readonly string[]; readonly places: readonly string[] }[] = [
  { libraries: ['ts-morph', 'json-schema-to-typescript', 'typescript'], places: ['codegen'] },
  { libraries: ['cdk8s', 'cdk8s-plus-33', 'constructs'], places: ['src/app', 'src/synth'] },
  { libraries: ['@kubernetes/client-node'], places: ['src/kubernetes'] },
  { libraries: ['vitest'], places: ['src/testing/vitest.ts'] },
  { libraries: ['expect'], places: ['src/testing/jest.ts'] },
  { libraries: ['fast-check', 'tsx', 'projen'], places: [] },
];

/** Libraries that cost start-up time: no module that the command line loads at once may import them. */
const heavy = ['yaml', 'jiti', 'valibot', ...confined.flatMap(({ libraries }) => libraries)];

interface Import {
  readonly file: string;
  readonly line: number;
  /** A path below the root, or a package as written. */
  readonly target: string;
  readonly form: 'static' | 'type' | 'dynamic';
}

/** Names every import that breaks a rule, with file and line. */
export function importViolations(root: string): string[] {
  const imports = ['src', 'codegen', 'generated'].flatMap((top) => sourceFiles(root, top)).flatMap((file) => importsOf(root, file));
  return [
    ...imports.flatMap(misplacedLibrary),
    ...imports.flatMap(wrongDirection),
    ...imports.flatMap(notDownwards),
    ...imports.flatMap(besideAdmission),
    ...circles(imports),
    ...heavyAtStart(imports),
  ];
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
  if (from === undefined || to === undefined || from === to) return [];
  if (ground.includes(to) && from !== 'util') return [];
  if (from !== 'generated' && !Object.hasOwn(rooms, from)) return [`${file} stands in no room of ARCHITECTURE.md`];
  if (to === 'apiserver' && !(openers.includes(from) && doors.includes(target)))
    return [`${file}:${line} imports ${target}: only ${openers.join(' and ')} may import the API server, by ${doors.join(' or ')}`];
  return reachable(from === 'generated' ? 'app' : from).has(to)
    ? []
    : [`${file}:${line} imports ${target}: ${from} may not import from ${to}`];
}

/** Names an import between two folders of a room with floors that does not lead to a lower one. */
function notDownwards({ file, line, target }: Import): string[] {
  const room = roomOf(file);
  if (room === undefined || !Object.hasOwn(floors, room) || room !== roomOf(target) || folderOf(file) === folderOf(target)) return [];
  const lost = [file, target].find((path) => floorOf(path) === 0);
  if (lost !== undefined) return [`${lost} stands on no floor of ${room} in ${documentOf(room)}`];
  if (floorOf(target) < floorOf(file)) return [];
  return [
    `${file}:${line} imports ${target}: ${shownFolder(file)} on floor ${floorOf(file)} of ${room} may not import from ${shownFolder(target)} on floor ${floorOf(target)}. Move what is imported to a lower folder, or ${file} to a higher one`,
  ];
}

function besideAdmission({ file, line, target }: Import): string[] {
  if (!stepsOfAdmission.includes(target) || file.startsWith('src/apiserver/admission/')) return [];
  return [`${file}:${line} imports ${target}: only its own folder may. Ask Admission of src/apiserver/admission/admission.ts`];
}

/** Returns the number of the floor of a file, from 1; 0 if its folder stands on none. */
function floorOf(path: string): number {
  return (floors[roomOf(path) ?? '']?.findIndex((folders) => folders.includes(folderOf(path))) ?? -1) + 1;
}

/** Returns the folder of a file in its room: `src/engine/apply/skip/a.ts` → `apply`; `.` for a file directly in the room. */
function folderOf(path: string): string {
  const [, , folder = '', ...rest] = path.split('/');
  return rest.length > 0 ? folder : '.';
}

function shownFolder(path: string): string {
  return folderOf(path) === '.' ? 'a file beside the folders' : folderOf(path);
}

function documentOf(room: string): string {
  return printedIn[room] ?? 'ARCHITECTURE.md';
}

/** The documents with floors of rooms. */
export const floorDocuments: readonly string[] = [...new Set(Object.keys(floors).map(documentOf))];

/** Compares the floors with the rows of their document that name a floor and a folder. */
export function floorDrift(document: string, text: string): string[] {
  return Object.entries(floors).flatMap(([room, order]) => {
    if (documentOf(room) !== document) return [];
    const place = (folder: string) => relative(dirname(document), join('src', room, folder)) || '.';
    const rows = [...text.matchAll(/^\| (\d+) \| \[`([\w.-]+)`\]\(([^)]+)\) \|/gm)].filter(
      ([, , folder = '', link]) => link === place(folder),
    );
    const written = rows.map(([, floor, folder]) => `${floor} ${folder}`);
    const expected = order.flatMap((folders, index) => folders.map((folder) => `${index + 1} ${folder}`));
    return written.join('\n') === expected.join('\n')
      ? []
      : [`${document}: the floors of ${room} are not those of test/checks/imports.ts, in this order: ${expected.join(', ')}`];
  });
}

/** Names files that import each other in a circle, types and dynamic imports included. */
function circles(imports: readonly Import[]): string[] {
  const targets = new Map<string, string[]>();
  for (const { file, target } of imports) targets.set(file, [...(targets.get(file) ?? []), target.replace(/\.js$/, '.ts')]);
  return circlesOf(targets).map((files) => `${files.join(' → ')} → ${files[0]}: these files import each other in a circle`);
}

/** Finds circles depth first: a file that occurs again while its own imports are followed closes a circle. */
function circlesOf(targets: ReadonlyMap<string, readonly string[]>): string[][] {
  const found: string[][] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const follow = (file: string): void => {
    if (done.has(file)) return;
    const start = path.indexOf(file);
    if (start >= 0) {
      found.push(path.slice(start));
      return;
    }
    path.push(file);
    for (const target of targets.get(file) ?? []) follow(target);
    path.pop();
    done.add(file);
  };
  for (const file of targets.keys()) follow(file);
  return found;
}

/** Follows static imports from the command line's entry: every start loads the modules it reaches, even `--version`. */
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

/**
 * Returns the room of a file: `src/app/stack.ts` → `app`, `codegen/emit.ts` → `codegen`; a file directly in `src` is a room that the table
 * lacks; packages have none.
 */
function roomOf(path: string): string | undefined {
  const [top, second] = path.split('/');
  if (top === 'codegen' || top === 'generated') return top;
  return top === 'src' ? second : undefined;
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

/** Returns the modules below a folder, in the order of their paths. */
export function sourceFiles(root: string, top: string): string[] {
  if (!existsSync(join(root, top))) return [];
  return readdirSync(join(root, top), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${top}/${name}`)
    .sort();
}
