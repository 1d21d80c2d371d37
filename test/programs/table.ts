/** A program that a user of cdk8s would write, and how it ends. */
export interface TableProgram {
  readonly name: string;
  /** Its text, behind `prelude`. */
  readonly text: string;
  /** The names of the objects that `-a main.mjs` has, or the code of the error with which it ends. */
  readonly module: readonly string[] | string;
  /** The same with `-a "node main.mjs"`. */
  readonly command: readonly string[] | string;
}

/** Declares with the App of Fieldwise or, in the column of plain `node`, with that of cdk8s. */
export const prelude = `import { App, declare, newStack } from './lib.mjs';
const app = new App();
const stack = newStack(app, 's');
const own = (name) => declare(stack, name);
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
`;

/** `lib.mjs` for Fieldwise. */
export const ours = `export { App } from 'fieldwise';
import { Stack } from 'fieldwise';
export const newStack = (app, name) => new Stack(app, name);
export const declare = (stack, name) => stack.own({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
`;

/** `lib.mjs` for cdk8s. */
export const peers = `export { App } from 'cdk8s';
import { ApiObject, Chart } from 'cdk8s';
export const newStack = (app, name) => new Chart(app, name);
export const declare = (stack, name) => new ApiObject(stack, name, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
`;

const both = ['one', 'two'];
const failed = { module: 'program-failed', command: 'program-failed' };

/** A server of the program that answers one request, and ends. */
const server = `import http from 'node:http';
const server = http.createServer((_, response) => response.end('text'));
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = 'http://127.0.0.1:' + server.address().port;
`;

export const programs: readonly TableProgram[] = [
  { name: 'synth at its end', text: `own('one'); own('two'); app.synth();`, module: both, command: both },
  { name: 'no synth', text: `own('one'); own('two');`, module: both, command: 'program-without-assembly' },
  { name: 'synth twice', text: `own('one'); app.synth(); own('two'); app.synth();`, module: both, command: both },
  {
    name: 'synth twice, the second one later',
    text: `own('one'); app.synth(); setTimeout(() => { own('two'); app.synth(); }, 30);`,
    module: both,
    command: both,
  },
  {
    name: 'a forgotten await, synth at the end of main',
    text: `async function main() { own('one'); await pause(50); own('two'); app.synth(); }\nmain();`,
    module: both,
    command: both,
  },
  {
    name: 'a forgotten await, no synth',
    text: `async function main() { own('one'); await pause(50); own('two'); }\nmain();`,
    module: both,
    command: 'program-without-assembly',
  },
  {
    name: 'a forgotten await of a file',
    text: `import { readFile } from 'node:fs/promises';
async function main() { own('one'); await readFile(new URL('lib.mjs', import.meta.url)); own('two'); app.synth(); }\nmain();`,
    module: both,
    command: both,
  },
  {
    name: 'main().then(() => process.exit(0))',
    text: `async function main() { own('one'); await pause(20); own('two'); app.synth(); }\nmain().then(() => process.exit(0));`,
    module: both,
    command: both,
  },
  {
    name: 'main().then(() => process.exit(0)), with a server that lives on',
    text: `${server}async function main() { own('one'); own(await (await fetch(url)).text()); app.synth(); }\nmain().then(() => process.exit(0), () => process.exit(1));`,
    module: ['one', 'text'],
    command: ['one', 'text'],
  },
  {
    name: 'main().catch(() => process.exit(1)), which fails',
    text: `async function main() { own('one'); await pause(20); throw new Error('no'); }\nmain().catch(() => process.exit(1));`,
    ...failed,
  },
  {
    name: 'main().then(() => process.exit(0)).catch(() => process.exit(1))',
    text: `async function main() { own('one'); own('two'); app.synth(); }\nmain().then(() => process.exit(0)).catch(() => process.exit(1));`,
    module: both,
    command: both,
  },
  {
    name: 'a rejection that nobody handles',
    text: `async function main() { own('one'); await pause(20); throw new Error('no'); }\nmain();`,
    ...failed,
  },
  { name: 'an error in a timer', text: `own('one'); app.synth(); setTimeout(() => { throw new Error('no'); }, 20);`, ...failed },
  {
    name: 'process.exit(0) before synth',
    text: `own('one'); process.exit(0);\nown('two'); app.synth();`,
    module: 'program-failed',
    command: 'program-without-assembly',
  },
  { name: 'process.exit(3) after synth', text: `own('one'); app.synth(); process.exit(3);`, ...failed },
  { name: 'process.exitCode', text: `own('one'); process.exitCode = 1; app.synth();`, ...failed },
  { name: 'a top-level await that never settles', text: `own('one'); app.synth();\nawait new Promise(() => {});`, ...failed },
  {
    name: 'fetch by a connection that is kept alive',
    text: `${server}fetch(url).then((response) => response.text()).then((text) => { own('one'); own(text); app.synth(); server.close(); });`,
    module: ['one', 'text'],
    command: ['one', 'text'],
  },
  {
    name: 'an http agent that keeps connections alive',
    text: `${server}const agent = new http.Agent({ keepAlive: true });
http.get(url, { agent }, (response) => {
  response.resume().on('end', () => { own('one'); server.close(); setTimeout(() => { own('two'); app.synth(); server.closeIdleConnections(); }, 20); });
});`,
    module: both,
    command: both,
  },
  {
    name: 'a child process',
    text: `import { execFile } from 'node:child_process';
own('one'); execFile(process.execPath, ['-p', '"two"'], (_, text) => { own(text.trim()); app.synth(); });`,
    module: both,
    command: both,
  },
  {
    name: 'a worker thread',
    text: `import { Worker } from 'node:worker_threads';
own('one'); new Worker('require("node:worker_threads").parentPort.postMessage("two")', { eval: true }).on('message', (name) => { own(name); app.synth(); });`,
    module: both,
    command: both,
  },
  {
    name: 'a timer that is not waited for',
    text: `own('one'); own('two'); app.synth(); setTimeout(() => own('three'), 600_000).unref(); setInterval(() => {}, 600_000).unref();`,
    module: both,
    command: both,
  },
  {
    name: 'an interval that ends',
    text: `let left = 2; const timer = setInterval(() => { own(['two', 'one'][--left]); if (left === 0) { clearInterval(timer); app.synth(); } }, 10);`,
    module: both,
    command: both,
  },
  {
    name: 'an interval, and process.exit(0)',
    text: `setInterval(() => {}, 10); own('one'); pause(30).then(() => { own('two'); app.synth(); process.exit(0); });`,
    module: both,
    command: both,
  },
  {
    name: 'work in the thread pool',
    text: `import { scrypt } from 'node:crypto'; import { gzip } from 'node:zlib';
scrypt('a', 'b', 32, () => { own('one'); gzip('c', () => scrypt('a', 'b', 32, () => { own('two'); app.synth(); })); });`,
    module: both,
    command: both,
  },
  {
    name: 'a listener of beforeExit',
    text: `own('one'); let isFirst = true;
process.on('beforeExit', () => { if (!isFirst) return; isFirst = false; pause(20).then(() => { own('two'); app.synth(); }); });`,
    module: both,
    command: both,
  },
  {
    name: 'a listener of beforeExit that runs until all is declared',
    text: `const names = ['two', 'one'];
process.on('beforeExit', () => { if (names.length > 0) setImmediate(() => own(names.pop())); else if (!app.done) { app.done = true; app.synth(); } });`,
    module: both,
    command: both,
  },
  {
    name: 'synth in a listener of exit',
    text: `own('one'); own('two'); process.on('exit', () => app.synth());`,
    module: both,
    command: both,
  },
  {
    name: 'a declaration in a listener of exit',
    text: `own('one'); app.synth(); process.on('exit', () => { own('two'); app.synth(); });`,
    module: 'declared-after-synth',
    command: both,
  },
  {
    name: 'a module that is imported late',
    text: `own('one'); import('./late.mjs').then(({ name }) => { own(name); app.synth(); });`,
    module: both,
    command: both,
  },
  {
    name: 'finally behind process.exit(0)',
    text: `try { own('one'); own('two'); app.synth(); process.exit(0); } finally { process.exitCode = 4; }`,
    module: both,
    command: both,
  },
];
