import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readAssembly } from '../../lib/src/assembly/index.js';
import { junit } from '../../lib/src/cli/render/formats/junit.js';
import { markdown } from '../../lib/src/cli/render/formats/markdown.js';
import type { RecordedRun } from '../../lib/src/cli/render/formats/recorded-run.js';
import { RepositoryPositions } from '../../lib/src/cli/render/formats/repository-positions.js';
import { RunRecorder } from '../../lib/src/cli/render/formats/run-recorder.js';
import { sarif } from '../../lib/src/cli/render/formats/sarif.js';
import { type PlanEvent, plan } from '../../lib/src/deploy/index.js';
import { App, Stack } from '../../lib/src/entry/index.js';
import { startSimulation } from '../../lib/src/entry/simulation.js';
import { connect, createClusterClient, Transport } from '../../lib/src/kubernetes/index.js';
import { startServer } from '../harness/server.js';
import { type Figure, median } from './figures.js';
import { mixedObjects } from './objects.js';

const objects = 1_000;
const rounds = 5;
const targetSeconds = 0.1;

type Events = readonly PlanEvent[];

/** What the formats of a plan of 1,000 objects cost on top of the plan. */
export async function formatFigures(print: (figure: Figure) => void): Promise<void> {
  const events = await eventsOfPlan();
  const plans: Readonly<Record<string, Events>> = { 'all created': events, 'every field taken': events.map(withTakenFields) };
  for (const [name, planned] of Object.entries(plans)) {
    printTimes(
      `Markdown, ${objects} objects, ${name}`,
      timesOf(planned, (run) => markdown([run])),
      print,
    );
  }
  for (const [name, planned] of Object.entries(plans)) {
    const others = { JUnit: (run: RecordedRun) => junit([run]), SARIF: (run: RecordedRun) => sarif([run], '0.0.0') };
    for (const [format, text] of Object.entries(others)) {
      print({ name: `${format}, ${objects} objects, ${name}`, value: `${median(timesOf(planned, text)).toFixed(3)} s` });
    }
  }
}

/** The first one is of code that has never run, as in a command. */
function printTimes(name: string, times: readonly number[], print: (figure: Figure) => void): void {
  for (const [which, seconds] of [['first', times[0] as number] as const, ['median', median(times)] as const]) {
    const ratio = { of: `${targetSeconds} s`, value: seconds / targetSeconds, target: { atMost: 1 } };
    print({ name: `${name}, ${which}`, value: `${seconds.toFixed(3)} s`, ratio });
  }
}

/** Seconds of CPU to record the events and to make the text of them: the work waits for nothing, and other processes do not count. */
function timesOf(events: Events, text: (run: RecordedRun) => string): readonly number[] {
  return Array.from({ length: rounds }, () => {
    const start = process.cpuUsage();
    const recorder = new RunRecorder('plan', new RepositoryPositions(process.cwd(), 'main.ts'));
    for (const event of events) recorder.record(event);
    if (text(recorder.finish()) === '') throw new Error('the text is empty');
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1_000_000;
  });
}

function withTakenFields(event: PlanEvent): PlanEvent {
  if (event.event !== 'plan') return event;
  const owners = [{ manager: 'helm', operation: 'Apply' }] as const;
  return { ...event, action: 'update', fields: event.fields.map((field) => ({ ...field, change: 'force', oldValue: 'theirs', owners })) };
}

async function eventsOfPlan(): Promise<Events> {
  const server = await startServer();
  const directory = await mkdtemp(path.join(tmpdir(), 'fieldwise-bench-'));
  const cluster = createClusterClient(new Transport(await connect({ kubeconfig: server.kubeconfig })), 'default');
  try {
    const app = new App({ name: 'bench', outdir: directory });
    const stack = new Stack(app, 'all', { namespace: 'default' });
    for (const object of mixedObjects(objects, 'default')) stack.own(object as never);
    app.synth();
    const events: PlanEvent[] = [];
    const simulate = (version: string) => startSimulation('default', version);
    const summary = await plan(await readAssembly(directory), cluster, { readOnly: true, simulate }, (event) => void events.push(event));
    if (summary.counts.create !== objects) throw new Error(`a plan ended with ${JSON.stringify(summary)}`);
    return events;
  } finally {
    cluster.close();
    await rm(directory, { recursive: true, force: true });
    await server.stop();
  }
}
