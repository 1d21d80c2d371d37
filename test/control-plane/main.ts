import { dirname } from 'node:path';
import { findControllerManager } from '../broken-workloads/controller-manager.js';
import { endWithUsage, readFlags } from '../harness/script-flags.js';
import { findOperator } from './operator.js';
import { operatorSituations } from './operator-situations.js';
import { runSituation } from './run-situation.js';
import { type Side, startSide } from './side.js';
import { situations as controlPlaneSituations, type Situation } from './situations.js';

const usage = `Usage: npm run campaign -- control-plane [--only NAME,…] [--sample] [--show]
Starts a real kube-controller-manager and a real kube-scheduler beside a real API server, and beside the embedded one (cluster start
--no-controllers), each with the flags of kubeadm, and beside each the Prometheus Operator with the permissions of its documentation. Both live through the same situations, and then have the same objects: specs, statuses,
conditions, owners of fields, events. Neither is refused anything that the real one is not. --show prints the objects. --sample runs a few.
The controller manager and the scheduler are built once, which takes about four minutes, and the operator, which takes about three; --sample builds
nothing, is skipped without the control plane, and leaves the operator out where it is not there.`;
const { values } = readFlags(usage, { options: { only: { type: 'string' }, sample: { type: 'boolean' }, show: { type: 'boolean' } } });

/** Of a person's environment, what names another server: this one has controllers of its own. */
const { KUBECONFIG_TEST: _, KUBEBUILDER_ASSETS: __, ...environment } = process.env;

const situations: readonly Situation[] = [...controlPlaneSituations, ...operatorSituations];

function chosenSituations(): readonly Situation[] {
  if (values.sample) return situations.filter(({ inSample }) => inSample);
  const names = values.only?.split(',');
  const unknown = names?.find((name) => !situations.some((situation) => situation.name === name));
  if (unknown !== undefined)
    endWithUsage(usage, `No situation is named ${unknown}. There are ${situations.map(({ name }) => name).join(', ')}.`);
  return situations.filter(({ name }) => names?.includes(name) ?? true);
}

async function main(): Promise<void> {
  const wanted = chosenSituations();
  const binary = await findControllerManager(environment, !values.sample);
  if (binary === undefined) {
    if (!values.sample) throw new Error('There is no controller manager in the cache, and no go on PATH to build it.');
    console.log('skipped: there is no controller manager in the cache; npm run campaign -- control-plane builds it with Go');
    console.log('0 passed, 0 failed');
    return;
  }
  const operator = wanted.some(({ needsOperator }) => needsOperator) ? await findOperator(environment, !values.sample) : undefined;
  const chosen = wanted.filter(({ needsOperator }) => !needsOperator || operator !== undefined);
  if (chosen.length < wanted.length) {
    if (!values.sample) throw new Error('There is no operator in the cache, and no go on PATH to build it.');
    console.log('without the operator: it is not in the cache; npm run campaign -- control-plane builds it with Go');
  }
  const binaries = { controlPlane: dirname(binary), operator };
  const started = await Promise.allSettled((['real', 'embedded'] as const).map((name) => startSide(name, binaries, environment)));
  const sides = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  try {
    for (const each of started) if (each.status === 'rejected') throw each.reason;
    let failed = 0;
    for (const situation of chosen) if (!(await isEqual(situation, sides as [Side, Side]))) failed += 1;
    const refused = onlyEmbedded(sides as [Side, Side]);
    for (const [line, times] of refused) console.log(`REFUSED ${times} times: ${line.slice(0, 300)}`);
    console.log(`${chosen.length - failed} passed, ${failed} failed`);
    process.exitCode = failed + refused.size === 0 ? 0 : 1;
  } finally {
    await Promise.all(sides.map((side) => side.stop()));
  }
}

/** Returns true if both sides have the same in the end; prints each difference. */
async function isEqual(situation: Situation, sides: readonly [Side, Side]): Promise<boolean> {
  const outcomes = await Promise.allSettled(sides.map(({ cluster }) => runSituation(cluster, situation)));
  const lines = outcomes.flatMap((outcome, index) => (outcome.status === 'rejected' ? [`${sides[index]?.name}: ${outcome.reason}`] : []));
  const [real = [], embedded = []] = outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []));
  if (lines.length === 0) {
    lines.push(...real.filter((each) => !embedded.includes(each)).map((each) => `real:     ${each}`));
    lines.push(...embedded.filter((each) => !real.includes(each)).map((each) => `embedded: ${each}`));
    if (lines.length === 0 && real.length !== embedded.length)
      lines.push(`${real.length} objects on the real one, ${embedded.length} on the other`);
  }
  console.log(`${lines.length === 0 ? 'ok' : 'FAILED'} ${situation.name} (${real.length} objects and events)`);
  for (const line of values.show ? [...lines, ...real] : lines) console.log(`  ${line}`);
  return lines.length === 0;
}

/** Returns the refusals beside the embedded server of which the real one has none that differs only in names, and how often each came. */
function onlyEmbedded([real, embedded]: readonly [Side, Side]): ReadonlyMap<string, number> {
  const known = new Set(real.refusals().map(shapeOf));
  const found = new Map<string, { readonly line: string; readonly times: number }>();
  for (const line of embedded.refusals().filter((each) => !known.has(shapeOf(each))))
    found.set(shapeOf(line), { line: found.get(shapeOf(line))?.line ?? line, times: (found.get(shapeOf(line))?.times ?? 0) + 1 });
  return new Map([...found.values()].map(({ line, times }) => [line, times]));
}

/** Returns a line of a log without its time, and without the names and numbers in it. */
function shapeOf(line: string): string {
  return line
    .replace(/^\S+ +\S+ +\d+ /, '')
    .replace(/ event=".*$/, '')
    .replaceAll(/\\"[^"]*\\"/g, '…')
    .replaceAll(/\bcontrol-plane-[\w-]+|[\w.-]*\d[\w.-]*/g, '…');
}

await main();
