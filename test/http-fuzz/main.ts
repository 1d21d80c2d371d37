import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Random } from '../corpus/random.js';
import { type Connection, readKubeconfig } from '../harness/kubeconfig.js';
import { RawConnection, type RawResponse, requestText } from '../harness/raw-http.js';
import { readCount, readFlags } from '../harness/script-flags.js';
import { mutated } from './mutate-request.js';
import { preparing, type RecordedRequest, recordedRequests } from './recorded-requests.js';

const usage = `Usage: npm run campaign -- fuzz:http [--requests 100000] [--seed 1] [--lanes 4] [--case N]
Sends mutated requests to the embedded API server: every error must be a Status or a text that a real server has, without a stack; the server
must go on, and keep its memory.`;
const { values } = readFlags(usage, {
  options: {
    requests: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    lanes: { type: 'string', default: '4' },
    case: { type: 'string' },
  },
});
const [requests, seed, lanes] = [values.requests, values.seed, values.lanes].map((text, index) =>
  readCount(usage, ['requests', 'seed', 'lanes'][index] as string, text),
) as [number, number, number];
const only = values.case === undefined ? undefined : readCount(usage, 'case', values.case);

/** The memory after all requests may be this much of that after a tenth of them. */
const memoryFactor = 1.5;
const program = fileURLToPath(new URL('../harness/serve-embedded.ts', import.meta.url));
const knownTexts =
  /^(?:400 Bad Request|404 page not found|431 Request Header Fields Too Large|Internal Server Error: "[\s\S]*failed to create RequestInfo)/;

async function main(): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'fieldwise-http-fuzz-'));
  const kubeconfig = join(directory, 'kubeconfig');
  const server = spawn(process.execPath, ['--import', 'tsx', program, kubeconfig], { stdio: ['pipe', 'inherit', 'pipe'] });
  let errors = '';
  server.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const isRunning = () => server.exitCode === null && server.signalCode === null;
  try {
    while (!existsSync(kubeconfig) && isRunning()) await pause(50);
    const connection = readKubeconfig(kubeconfig);
    for (const request of preparing) await exchange(connection, request);
    const residentBytes = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
    const failed = await campaign(connection, residentBytes, isRunning);
    if (!isRunning()) console.log(`FAILED the server has ended with ${server.exitCode ?? server.signalCode}`);
    if (errors.includes('\n    at ')) console.log(`FAILED the server printed a stack:\n${errors.slice(0, 2000)}`);
    const broken = failed + (isRunning() ? 0 : 1) + (errors.includes('\n    at ') ? 1 : 0);
    console.log(`${requests - failed} passed, ${broken} failed`);
    return broken === 0 ? 0 : 1;
  } finally {
    server.kill();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function campaign(connection: Connection, residentBytes: () => number, isRunning: () => boolean): Promise<number> {
  const statuses = new Map<number, number>();
  let next = only ?? 0;
  let failed = 0;
  let early = 0;
  let slowest = 0;
  const end = only === undefined ? requests : only + 1;
  const lane = async () => {
    while (next < end && isRunning()) {
      const number = next++;
      const random = new Random(seed * 1_000_003 + number);
      const request = mutated(random, random.pick(recordedRequests));
      const started = Date.now();
      const response = await exchange(connection, request);
      slowest = Math.max(slowest, Date.now() - started);
      const problem = problemOf(request, response);
      statuses.set(response?.status ?? 0, (statuses.get(response?.status ?? 0) ?? 0) + 1);
      if (problem !== undefined && failed++ < 20) {
        console.log(`FAILED case ${number}: ${problem}\n  ${request.method} ${request.target}\n  ${JSON.stringify(request.headers)}`);
        console.log(`  ${JSON.stringify(request.body.slice(0, 300))}`);
      }
      if (only !== undefined) console.log(response?.status, response?.body.slice(0, 1000));
      if (number === Math.floor(requests / 10)) early = residentBytes();
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  const late = isRunning() ? residentBytes() : 0;
  console.log(
    `seed ${seed}; statuses ${[...statuses]
      .toSorted(([one], [other]) => one - other)
      .map((entry) => entry.join(': '))
      .join(', ')}`,
  );
  console.log(`slowest ${slowest} ms; memory ${megabytes(early)} after a tenth, ${megabytes(late)} at the end`);
  // A short run has not yet allocated what the server needs.
  if (requests < 20_000 || late <= early * memoryFactor) return failed;
  console.log('FAILED the memory grows');
  return failed + 1;
}

/** Sends one request on a connection of its own; undefined if there is no whole response. */
async function exchange(connection: Connection, { method, target, headers, body }: RecordedRequest): Promise<RawResponse | undefined> {
  const raw = await RawConnection.open(connection);
  raw.write(requestText(method, target, { authorization: `Bearer ${connection.token}`, ...headers }, body));
  // A watch goes on, and a body that is announced and not sent is waited for.
  const isOpen = /watch/i.test(target) || headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  let response = await raw.response(method, isOpen ? 0.3 : 20);
  if (response?.status === 100) response = await raw.response(method, isOpen ? 0.3 : 20);
  raw.close();
  return response;
}

/** Returns what is wrong with a response. */
function problemOf(request: RecordedRequest, response: RawResponse | undefined): string | undefined {
  const { headers, target, method } = request;
  if (response === undefined) {
    const mayWait = /watch/i.test(target) || ['content-length', 'transfer-encoding', 'upgrade', 'expect'].some((name) => name in headers);
    return mayWait ? undefined : 'no response';
  }
  const { status, body } = response;
  if (/\n\s+at .*\d:\d/.test(body)) return `a stack: ${body.slice(0, 300)}`;
  if (/Internal error occurred: (?!failed calling webhook)/.test(body) && !/replicas field/.test(body))
    return `${status} ${body.slice(0, 300)}`;
  if (status < 400 || method === 'HEAD' || knownTexts.test(body) || body === '') return undefined;
  if (response.headers['content-type']?.includes('json') !== true) return undefined;
  try {
    const { kind, code, message } = JSON.parse(body);
    return kind === 'Status' && code === status && typeof message === 'string' ? undefined : `not its Status: ${body.slice(0, 300)}`;
  } catch {
    return `not a Status: ${body.slice(0, 300)}`;
  }
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MB`;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

process.exitCode = await main();
