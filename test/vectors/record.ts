import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../src/util/json.js';
import { readKubeconfig } from '../harness/kubeconfig.js';
import { endWithUsage, readFlags } from '../harness/script-flags.js';
import { overHttp, type ScenarioTransport } from './exchange.js';
import { prepare } from './prepare.js';
import { RecordedResponses } from './recorded-responses.js';
import { effect, requestOf, resultOf } from './replay.js';
import { pathOf, type RequestedStep, readCrds, readScenarios, type Scenario, type Step } from './scenario.js';
import { normalized, Tokens } from './tokens.js';

const usage = `Usage: npx tsx test/vectors/record.ts REQUESTS --kubeconfig FILE --out FILE.ndjson
Sends the requests of scenarios to a real server and writes what it answered, in the format of recorded scenarios. REQUESTS is a YAML list of
scenarios without answers (see recorded/README.md), or a file of recorded scenarios, whose answers are then those of this server.`;
const { values, positionals } = readFlags(usage, {
  allowPositionals: true,
  options: { kubeconfig: { type: 'string' }, out: { type: 'string' } },
});
const [source] = positionals;
if (source === undefined || values.kubeconfig === undefined || values.out === undefined)
  endWithUsage(usage, 'REQUESTS, --kubeconfig and --out are needed');

const exchange = overHttp(readKubeconfig(values.kubeconfig));
const scenarios = /\.ya?ml$/.test(source) ? readRequests(source) : [...readScenarios([source])];
await prepare(exchange, readCrds([source]), scenarios);
const recorded: Scenario[] = [];
const queue = [...scenarios.entries()];
// Every step waits for a second of its own, so that scenarios can run side by side.
await Promise.all(
  Array.from({ length: 16 }, async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) recorded[next[0]] = await record(next[1], exchange);
  }),
);
writeFileSync(values.out, recorded.map((scenario) => `${JSON.stringify(scenario)}\n`).join(''));
const { body: version } = await exchange({ method: 'GET', path: '/version' });
const manifest = { server: (version as JsonObject).gitVersion };
writeFileSync(join(dirname(values.out), 'manifest.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
process.stdout.write(`${recorded.length} scenarios recorded from ${String(manifest.server)}\n`);

type Requested = Omit<RequestedStep, 'target'> & { readonly target?: Partial<RequestedStep['target']> };

/** Steps inherit the target of their scenario; the object is called like the scenario unless it says otherwise. */
function readRequests(path: string): Scenario[] {
  const list = parse(readFileSync(path, 'utf8'), { merge: true }) as (Omit<Scenario, 'steps'> & {
    target: RequestedStep['target'];
    steps: Requested[];
  })[];
  return list.map(({ target, steps, ...scenario }) => ({
    ...scenario,
    kind: target.kind,
    steps: steps.map((step) => ({ ...step, target: { ...target, name: target.name ?? scenario.id, ...step.target } }) as Step),
  }));
}

async function record({ steps, ...scenario }: Scenario, send: ScenarioTransport): Promise<Scenario> {
  const answers = new RecordedResponses();
  const tokens = new Tokens();
  const given = JSON.stringify(steps.map(({ body, rawBody }) => [body ?? null, rawBody ?? null]));
  const written: Step[] = [];
  let before: JsonObject | undefined;
  let beforeTokenised: Json = 'absent';
  for (const [index, step] of steps.entries()) {
    await nextSecond();
    const from = Date.now();
    const received = await send(requestOf(step, tokens, before));
    answers.beginStep(index + 1, from, Date.now());
    const found = await send({ method: 'GET', path: pathOf(step.target) });
    const after = found.code === 200 ? (found.body as JsonObject) : undefined;
    const { code, body, warnings } = resultOf(received) as { code: number; body: Json; warnings: string[] };
    const answer = normalized(answers.tokenized(body, given));
    const live = after === undefined ? 'absent' : normalized(answers.tokenized(after, given));
    tokens.learn(answer, body);
    tokens.learn(live, after);
    const isObject = isJsonObject(received.body) && received.body.kind !== 'Status';
    const { op, target, query, body: sent, rawBody, contentType } = step;
    written.push({
      op,
      target,
      ...(query === undefined ? {} : { query }),
      ...(sent === undefined ? {} : { body: sent }),
      ...(rawBody === undefined ? {} : { rawBody }),
      ...(contentType === undefined ? {} : { contentType }),
      result: {
        code,
        ...(isObject ? { object: answer as JsonObject } : isJsonObject(answer) ? { status: answer } : { text: String(answer) }),
        ...(warnings.length > 0 ? { warnings } : {}),
      },
      live: liveOf(live, isObject ? answer : undefined, beforeTokenised, target.apiVersion),
      rv: effect(before, after),
    });
    before = after;
    beforeTokenised = live;
  }
  return { ...scenario, steps: written };
}

function liveOf(live: Json, answer: Json | undefined, before: Json, apiVersion: string): Step['live'] {
  if (live === 'absent') return 'absent';
  if (answer !== undefined && jsonEqual(live, answer)) return 'response';
  return isJsonObject(before) && jsonEqual(live, { ...before, apiVersion }) ? 'unchanged' : (live as JsonObject);
}

function nextSecond(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1000 - (Date.now() % 1000) + 20));
}
