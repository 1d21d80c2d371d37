import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ApiObject, type ApiObjectProps, App as Cdk8sApp, Chart } from 'cdk8s';
import { App } from 'fieldwise';
import { type Figure, median } from './figures.js';
import { mixedObjects } from './objects.js';

const rounds = 7;
const warmUps = 2;

/** Synth to a directory: ours beside that of cdk8s on the same constructs, larger programs, and programs with many dependencies. */
export async function synthFigures(print: (figure: Figure) => void): Promise<void> {
  const directory = mkdtempSync(path.join(tmpdir(), 'fieldwise-bench-'));
  try {
    measure(directory, print);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function measure(directory: string, print: (figure: Figure) => void): void {
  const ours = (declare: (app: Cdk8sApp) => void) => () => timed(new App({ name: 'bench', outdir: path.join(directory, 'ours') }), declare);
  const peers = (declare: (app: Cdk8sApp) => void) => () => timed(new Cdk8sApp({ outdir: path.join(directory, 'cdk8s') }), declare);
  const [five, twenty, peer] = side(
    ours((app) => void charts(app, 10, 5_000)),
    ours((app) => void charts(app, 10, 20_000)),
    peers((app) => void charts(app, 10, 5_000)),
  );
  print({ name: 'cdk8s, 5,000 objects in 10 charts', value: text(peer) });
  print({
    name: 'synth, 5,000 objects in 10 charts',
    value: text(five),
    ratio: { of: 'cdk8s', value: five / peer, target: { atMost: 0.25 } },
  });
  print({
    name: 'synth, 20,000 objects in 10 charts',
    value: text(twenty),
    ratio: { of: 'four times 5,000', value: twenty / (4 * five), target: { atMost: 1.25 } },
  });

  const [loose, chain] = side(
    ours((app) => void charts(app, 1, 10_000)),
    ours((app) => chainOf(charts(app, 1, 10_000)[0] as ApiObject[])),
  );
  print({ name: 'synth, 10,000 objects without dependencies', value: text(loose) });
  print({
    name: 'synth, 10,000 objects in one chain of dependencies',
    value: text(chain),
    ratio: { of: 'none', value: chain / loose, target: { atMost: 2 } },
  });

  const [apart, crossed] = side(
    ours((app) => void charts(app, 100, 5_000)),
    ours((app) => cross(charts(app, 100, 5_000))),
  );
  print({ name: 'synth, 100 charts without dependencies', value: text(apart) });
  print({
    name: 'synth, 100 charts with 100 dependencies each on others',
    value: text(crossed),
    ratio: { of: 'none', value: crossed / apart, target: { atMost: 2 } },
  });
}

/** Milliseconds of one synth; building the constructs is not counted. */
function timed(app: Cdk8sApp, declare: (app: Cdk8sApp) => void): number {
  declare(app);
  const started = performance.now();
  app.synth();
  return performance.now() - started;
}

/** Medians of measurements taken in turn. */
function side<Measures extends readonly (() => number)[]>(...measures: Measures): { [Index in keyof Measures]: number } {
  const times: number[][] = measures.map(() => []);
  for (let round = 0; round < rounds + warmUps; round++) {
    for (const [index, one] of measures.entries()) {
      const time = one();
      if (round >= warmUps) times[index]?.push(time);
    }
  }
  return times.map(median) as { [Index in keyof Measures]: number };
}

function charts(app: Cdk8sApp, count: number, objects: number): ApiObject[][] {
  const mixed = mixedObjects(objects, 'bench') as unknown as ApiObjectProps[];
  return Array.from({ length: count }, (_, index) => {
    const chart = new Chart(app, `chart-${index}`);
    return mixed.filter((_, place) => place % count === index).map((object, place) => new ApiObject(chart, `object-${place}`, object));
  });
}

function chainOf(objects: readonly ApiObject[]): void {
  for (const [index, object] of objects.entries()) if (index > 0) object.addDependency(objects[index - 1] as ApiObject);
}

/** Objects of each chart depend on objects and on the whole of earlier charts: a hundred of them, spread. */
function cross(objects: readonly (readonly ApiObject[])[]): void {
  for (const [index, own] of objects.entries()) {
    for (let number = 0; number < 100 && index > 0; number++) {
      const other = objects[(number * 7) % index] as readonly ApiObject[];
      const object = own[number % own.length] as ApiObject;
      if (number % 10 === 0) object.chart.addDependency((other[0] as ApiObject).chart);
      else object.addDependency(other[number % other.length] as ApiObject);
    }
  }
}

function text(milliseconds: number): string {
  return `${Math.round(milliseconds)} ms`;
}
