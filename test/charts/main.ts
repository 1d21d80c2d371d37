import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connect, createClusterClient, Transport } from '../../src/kubernetes/index.js';
import { endWithUsage, readFlags } from '../harness/script-flags.js';
import { startServer } from '../harness/server.js';
import { type ChartResult, type Refused, tryChart } from './try-chart.js';

const usage = `Usage: npm run campaign -- charts [--folder ../shared/charts] [CHART…]
Deploys the rendered manifests of public charts to a real API server, each as a program that includes them. Then plans them again by the
server, read-only and offline: nothing may change. Objects that the server rejects are listed with the reason.`;
const { values, positionals } = readFlags(usage, {
  allowPositionals: true,
  options: { folder: { type: 'string', default: fileURLToPath(new URL('../../../shared/charts', import.meta.url)) } },
});

async function main(): Promise<void> {
  const { folder } = values;
  if (!existsSync(folder)) endWithUsage(usage, `There are no charts at ${folder}: pass --folder`);
  const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'rendered.yaml')));
  const wanted = positionals.length > 0 ? names.filter((name) => positionals.includes(name)) : names;
  if (wanted.length === 0) endWithUsage(usage, `None of the charts at ${folder} is named ${positionals.join(', ')}`);
  const server = await startServer();
  const results: ChartResult[] = [];
  try {
    const cluster = createClusterClient(new Transport(await connect({ kubeconfig: server.kubeconfig })), 'default');
    for (const name of wanted) {
      const { project, ...result } = await tryChart(name, readFileSync(join(folder, name, 'rendered.yaml'), 'utf8'), {
        cluster,
        kubeconfig: server.kubeconfig,
      });
      rmSync(project.directory, { recursive: true, force: true });
      results.push(result);
      console.log(textOf(result));
    }
    cluster.close();
  } finally {
    await server.stop();
  }
  const failed = results.filter(({ failures }) => failures.length > 0);
  const planned = results.reduce((sum, { objects }) => sum + objects, 0);
  console.log(`${planned} objects of ${results.length} charts; ${results.length - failed.length} charts passed, ${failed.length} failed`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}

function textOf({ name, objects, refused, failures }: ChartResult): string {
  return [
    `${failures.length === 0 ? 'ok  ' : 'FAIL'} ${name}: ${objects} objects`,
    ...refusedText(refused),
    ...failures.map((text) => `     ! ${text.replaceAll('\n', '\n       ')}`),
  ].join('\n');
}

/** One line for each reason: a chart without its CustomResourceDefinitions has many objects of one. */
function refusedText(refused: readonly Refused[]): string[] {
  const byReason = new Map<string, string[]>();
  for (const { object, reason } of refused) byReason.set(reason, [...(byReason.get(reason) ?? []), object]);
  return [...byReason].map(([reason, objects]) => {
    const shown = objects.length > 3 ? [...objects.slice(0, 2), `${objects.length - 2} more`] : objects;
    return `       not accepted: ${reason}: ${shown.join(', ')}`;
  });
}

await main();
