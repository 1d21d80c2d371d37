import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { floorDocuments, floorDrift, floors, importViolations } from './imports.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'fieldwise-imports-'));
});
afterEach(() => rmSync(root, { recursive: true }));

function tree(files: Record<string, string>): string[] {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return importViolations(root);
}

describe('allowed', () => {
  test.each<[string, Record<string, string>]>([
    ['a room imports itself and util', { 'src/merge/a.ts': `import { b } from './b.js';\nimport { c } from '../util/c.js';` }],
    ['a room imports what its allowed rooms may', { 'src/deploy/a.ts': `import { p } from '../fields/path.js';` }],
    ['a folder imports a lower one', { 'src/engine/apply/skip/a.ts': `import { r } from '../../report/r.js';` }],
    ['a file beside the folders imports one', { 'src/apiserver/a.ts': `import { v } from './verbs/v.js';` }],
    ['a folder imports itself', { 'src/engine/apply/skip/a.ts': `import { b } from '../b.js';` }],
    ['a room imports the reader of metadata', { 'src/assembly/a.ts': `import { m } from '../fields/object.js';` }],
    ['the door of the API server', { 'src/entry/a.ts': `import { s } from '../apiserver/index.js';` }],
    ['codegen uses ts-morph', { 'codegen/emit.ts': `import { Project } from 'ts-morph';` }],
    ['a command loads codegen lazily', { 'src/cli/main.ts': `const run = () => import('../../codegen/index.js');` }],
    [
      'what a command loads lazily may be heavy',
      { 'src/cli/main.ts': `await import('./commands/synth.js')`, 'src/cli/commands/synth.ts': `import { parse } from 'yaml';` },
    ],
    [
      'types cost nothing at start',
      { 'src/cli/main.ts': `import type { A } from '../deploy/a.js';`, 'src/deploy/a.ts': `import { parse } from 'yaml';` },
    ],
  ])('%s', (_, files) => expect(tree(files)).toEqual([]));
});

describe('refused', () => {
  test.each<[string, Record<string, string>, string]>([
    [
      'util imports a room',
      { 'src/util/a.ts': `import { p } from '../fields/path.js';` },
      'src/util/a.ts:1 imports src/fields/path.js: util may not',
    ],
    [
      'util imports the reader of metadata',
      { 'src/util/a.ts': `import { m } from '../fields/object.js';` },
      'src/util/a.ts:1 imports src/fields/object.js: util may not',
    ],
    [
      'a verb asks policies itself',
      { 'src/apiserver/verbs/a.ts': `import { admitByPolicies } from '../admission/policy-admission.js';` },
      'src/apiserver/verbs/a.ts:1 imports src/apiserver/admission/policy-admission.js: only its own folder may',
    ],
    [
      'the API server is opened beside its door',
      { 'src/entry/a.ts': `import { c } from '../apiserver/cel/compile.js';` },
      'src/entry/a.ts:1 imports src/apiserver/cel/compile.js: only entry and testing may import the API server',
    ],
    [
      'the command line opens the API server',
      { 'src/cli/a.ts': `import { s } from '../apiserver/index.js';` },
      'src/cli/a.ts:1 imports src/apiserver/index.js: only entry and testing may import the API server',
    ],
    [
      'app knows a cluster',
      { 'src/app/a.ts': `\nimport { c } from '../kubernetes/c.js';` },
      'src/app/a.ts:2 imports src/kubernetes/c.js: app may not',
    ],
    [
      'deploy knows constructs',
      { 'src/deploy/a.ts': `import { Construct } from 'constructs';` },
      'src/deploy/a.ts:1 imports constructs, which only',
    ],
    ['even as a type', { 'src/deploy/a.ts': `import type { Chart } from 'cdk8s';` }, 'imports cdk8s, which only'],
    ['even later', { 'src/deploy/a.ts': `const x = await import('../app/app.js');` }, 'deploy may not import from app'],
    ['a re-export', { 'src/fields/a.ts': `export { x } from '../deploy/x.js';` }, 'fields may not import from deploy'],
    [
      'an import over several lines',
      { 'src/fields/a.ts': `import {\n  x,\n  y,\n} from '../deploy/x.js';` },
      'fields may not import from deploy',
    ],
    [
      'nobody but the command line uses codegen',
      { 'src/deploy/a.ts': `import('../../codegen/index.js')` },
      'deploy may not import from codegen',
    ],
    ['client-node outside kubernetes', { 'src/cli/a.ts': `import('@kubernetes/client-node')` }, 'which only src/kubernetes may'],
    ['a test tool in what we ship', { 'src/app/a.ts': `import fc from 'fast-check';` }, 'which nothing we ship may'],
    [
      'a file beside the rooms',
      { 'src/a.ts': `import { x } from './util/x.js';\nimport { y } from './app/y.js';` },
      'src/a.ts stands in no room',
    ],
    [
      'a folder imports a higher one',
      { 'src/engine/report/a.ts': `\nimport { r } from '../run/r.js';` },
      'src/engine/report/a.ts:2 imports src/engine/run/r.js: report on floor 3 of engine may not import from run on floor 6. Move',
    ],
    ['even its type', { 'src/engine/report/a.ts': `import type { R } from '../run/r.js';` }, 'may not import from run on floor 6'],
    [
      'a folder imports one beside it',
      { 'src/engine/lock/a.ts': `import { r } from '../history/r.js';` },
      'lock on floor 5 of engine may not import from history on floor 5',
    ],
    [
      'a folder without a floor',
      { 'src/engine/attic/a.ts': `import { r } from '../run/r.js';` },
      'src/engine/attic/a.ts stands on no floor of engine',
    ],
    [
      'a file beside the folders',
      { 'src/engine/run/a.ts': `import { r } from '../r.js';` },
      'src/engine/r.js stands on no floor of engine',
    ],
    [
      'a folder of the API server imports a higher one',
      { 'src/apiserver/registry/a.ts': `import { w } from '../write/w.js';` },
      'registry on floor 3 of apiserver may not import from write on floor 10',
    ],
    [
      'a folder imports a file beside the folders',
      { 'src/apiserver/http/a.ts': `import type { S } from '../api-server.js';` },
      'http on floor 4 of apiserver may not import from a file beside the folders on floor 13',
    ],
    [
      'a folder of the command line imports a command',
      { 'src/cli/render/formats/a.ts': `import { w } from '../../commands/synth.js';` },
      'render on floor 7 of cli may not import from commands on floor 10',
    ],
    [
      'a circle inside a room',
      {
        'src/merge/a.ts': `import { b } from './b.js';`,
        'src/merge/b.ts': `import { c } from './c.js';`,
        'src/merge/c.ts': `import './a.js';`,
      },
      'src/merge/a.ts → src/merge/b.ts → src/merge/c.ts → src/merge/a.ts: these files',
    ],
    [
      'a circle of types',
      { 'src/merge/a.ts': `import type { B } from './b.js';`, 'src/merge/b.ts': `import { a } from './a.js';` },
      'src/merge/a.ts → src/merge/b.ts → src/merge/a.ts: these files',
    ],
    [
      'heavy at start',
      { 'src/cli/main.ts': `import { a } from '../assembly/a.js';`, 'src/assembly/a.ts': `import { parse } from 'yaml';` },
      'src/assembly/a.ts:1 imports yaml on every start of the command line (src/cli/main.ts → src/assembly/a.ts)',
    ],
  ])('%s', (_, files, sentence) => expect(tree(files)).toEqual([expect.stringContaining(sentence)]));
});

describe.each([
  ['engine', 'ARCHITECTURE.md', 'src/engine/', 'addresses'],
  ['apiserver', 'src/apiserver/README.md', '', 'api'],
  ['cli', 'ARCHITECTURE.md', 'src/cli/', 'process'],
])('the floors of %s in %s', (room, document, prefix, first) => {
  const rows = floors[room]!.flatMap((folders, index) =>
    folders.map((name) => `| ${index + 1} | [\`${name}\`](${posix.join(prefix, name).replace(/\/$/, '')}) | text |`),
  );
  const of = (lines: readonly string[]) => floorDrift(document, lines.join('\n')).filter((line) => line.includes(`floors of ${room} `));

  test('are those of the check', () => {
    expect(of(rows)).toEqual([]);
    expect(floorDocuments).toContain(document);
  });

  test.each([
    ['a missing folder', rows.slice(1)],
    ['another order', rows.toReversed()],
    ['another floor', rows.map((row) => row.replace('| 3 |', '| 4 |'))],
  ])('%s is refused', (_, others) =>
    expect(of(others)).toEqual([expect.stringMatching(new RegExp(`^${document}: the floors of ${room} are not .*: 1 ${first},`))]),
  );
});
