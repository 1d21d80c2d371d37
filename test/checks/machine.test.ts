import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { unownedUses, unownedUsesIn } from './machine.js';

const path = 'src/engine/run/a.ts';

test.each([
  ['the clock of a machine', 'const now = machine.wall();'],
  ['a time that is given', 'new Date(now); Date.parse(text); Date.UTC(2026, 0);'],
  ['a test of a type', 'value instanceof Date;'],
  ['a type', 'let timer: NodeJS.Timeout | undefined; let date: Date; type Now = typeof Date.now;'],
  ['the same name of something else', 'response.setTimeout(1); machine.random(); const a = { performance: 1 }; a.performance;'],
  ['mathematics', 'Math.max(1, 2);'],
  ['signals without a time', 'AbortSignal.any([AbortSignal.abort()]);'],
  ['the surroundings of the process', 'process.env.HOME; process.cwd();'],
  ['a digest', "import { createHash, timingSafeEqual } from 'node:crypto';"],
  ['work that returns when it is done', "import { gzipSync } from 'node:zlib';\nimport { readFileSync } from 'node:fs';"],
  ['a type of a module', "import type { Worker } from 'node:worker_threads';\nimport { type Gzip, gunzipSync } from 'node:zlib';"],
  ['a comment, and a text', "// Date.now() and setTimeout\nconst text = 'Math.random()';"],
  ['helpers over a machine', "import { type Machine, poll } from '../../util/machine.js';"],
  ['a dynamic import of our own', "await import('./b.js');"],
])('allowed: %s', (_, source) => {
  expect(unownedUsesIn(path, source)).toEqual([]);
});

test.each([
  ['Date.now()', 'Date.now'],
  ['new Date()', 'new Date()'],
  ['new Date', 'new Date()'],
  ['Date()', 'Date'],
  ['Date["now"]()', 'Date["now"]'],
  ['const { now } = Date', 'Date'],
  ['function f(now = Date.now()) {}', 'Date.now'],
  ['const clock = { now: Date.now }', 'Date.now'],
  ['class A extends Date {}', 'Date'],
  ['performance.now()', 'performance.now'],
  ['Math.random()', 'Math.random'],
  ['const { random } = Math', 'Math'],
  ['setTimeout(f, 1)', 'setTimeout'],
  ['setInterval(f, 1)', 'setInterval'],
  ['await new Promise(setImmediate)', 'setImmediate'],
  ['const timers = { setTimeout }', 'setTimeout'],
  ['globalThis.setTimeout(f, 1)', 'globalThis.setTimeout'],
  ['AbortSignal.timeout(1)', 'AbortSignal.timeout'],
  ['crypto.randomUUID()', 'crypto.randomUUID'],
  ['fetch(url)', 'fetch'],
  ['process.pid', 'process.pid'],
  ['process.hrtime()', 'process.hrtime'],
  ['process.nextTick(f)', 'process.nextTick'],
  ['import { randomBytes } from "node:crypto"', 'randomBytes of node:crypto'],
  ['import { createHash, randomUUID as uid } from "crypto"', 'randomUUID of crypto'],
  ['import * as crypto from "node:crypto"', 'node:crypto as a whole'],
  ['import zlib from "node:zlib"', 'node:zlib as a whole'],
  ['import zlib, { gzipSync } from "node:zlib"', 'node:zlib as a whole'],
  ['import { createGzip } from "node:zlib"', 'createGzip of node:zlib'],
  ['import { setTimeout } from "node:timers"', 'setTimeout of node:timers'],
  ['import { setTimeout as pause } from "node:timers/promises"', 'setTimeout of node:timers/promises'],
  ['import { Worker } from "node:worker_threads"', 'Worker of node:worker_threads'],
  ['import { readFile } from "node:fs/promises"', 'readFile of node:fs/promises'],
  ['import { readFile } from "node:fs"', 'readFile of node:fs'],
  ['import { hostname } from "node:os"', 'hostname of node:os'],
  ['export { randomBytes } from "node:crypto"', 'randomBytes of node:crypto'],
  ['export * from "node:crypto"', 'node:crypto as a whole'],
  ['await import("node:crypto")', 'node:crypto as a whole'],
  ['require("node:timers")', 'node:timers as a whole'],
  ['import { thisMachine } from "../../util/machine.js"', 'thisMachine'],
  ['import { thisMachine as machine } from "../../util/machine.js"', 'thisMachine'],
])('refused: %s', (source, use) => {
  expect(unownedUsesIn(path, `\n${source};`)).toEqual([
    `${path}:2 uses ${use}: take it from the machine of the cluster client (src/util/machine.ts)`,
  ]);
});

test('a client that names no machine gets this one where it is made', () => {
  const source = "import { thisMachine } from '../../util/machine.js';";
  expect(unownedUsesIn('src/kubernetes/transport/transport.ts', source)).toEqual([]);
});

test('all rooms of a simulator are read; an exception that is none any more is named', () => {
  const root = mkdtempSync(join(tmpdir(), 'fieldwise-machine-'));
  const files = {
    'src/engine/lock/a.ts': 'Date.now();',
    'src/cli/b.ts': 'Date.now();',
    'src/apiserver/http/turns.ts': 'setImmediate(f);',
    'src/apiserver/identity.ts': 'next();',
  };
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), text);
    }
    expect(unownedUses(root)).toEqual([
      expect.stringContaining('src/engine/lock/a.ts:1 uses Date.now'),
      expect.stringContaining('src/apiserver/identity.ts uses nothing of this machine'),
    ]);
  } finally {
    rmSync(root, { recursive: true });
  }
});
