import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import type { JsonObject } from '../../src/util/json.js';
import { endWithUsage, readFlags } from '../harness/script-flags.js';
import { startEmbedded, startServer } from '../harness/server.js';
import { type DocumentsResult, tryDocuments } from './try-documents.js';

const usage = `Usage: npm run campaign -- charts:documents [--folder ../shared/charts] [--crds ../shared/corpus/crds] [--cluster embedded] [CHART…]
Pipes the rendered manifests of public charts to \`fieldwise deploy -f -\`, each on a fresh server: a real API server, or the embedded one. A second
deploy must change nothing, and an object whose document is removed must be deleted. Hooks that are left out and objects that the server does not
accept are listed with the reason.`;
const shared = (path: string) => fileURLToPath(new URL(`../../../shared/${path}`, import.meta.url));
const { values, positionals } = readFlags(usage, {
  allowPositionals: true,
  options: {
    folder: { type: 'string', default: shared('charts') },
    crds: { type: 'string', default: shared('corpus/crds') },
    cluster: { type: 'string' },
  },
});

async function main(): Promise<void> {
  const { folder, cluster } = values;
  if (cluster !== undefined && cluster !== 'embedded') endWithUsage(usage, `--cluster ${cluster} is not embedded`);
  if (!existsSync(folder)) endWithUsage(usage, `There are no charts at ${folder}: pass --folder`);
  const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'rendered.yaml')));
  const wanted = positionals.length > 0 ? names.filter((name) => positionals.includes(name)) : names;
  if (wanted.length === 0) endWithUsage(usage, `None of the charts at ${folder} is named ${positionals.join(', ')}`);
  const definitions = definitionsIn(values.crds);
  const results: DocumentsResult[] = [];
  for (const name of wanted) {
    const server = cluster === 'embedded' ? await startEmbedded() : await startServer();
    try {
      const stdin = readFileSync(join(folder, name, 'rendered.yaml'), 'utf8');
      results.push(await tryDocuments(name, stdin, { kubeconfig: server.kubeconfig, definitions }));
      console.log(textOf(results.at(-1) as DocumentsResult));
    } finally {
      await server.stop();
    }
  }
  console.log(summaryOf(results));
  process.exitCode = results.some(({ failures }) => failures.length > 0) ? 1 : 0;
}

/** The CustomResourceDefinitions of a directory; none if it does not exist. */
function definitionsIn(directory: string): readonly JsonObject[] {
  if (!existsSync(directory)) return [];
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.yaml'));
  return files.map((file) => parse(readFileSync(join(directory, file), 'utf8')) as JsonObject);
}

function textOf({ name, created, hooks, refused, blocked, pruned, failures }: DocumentsResult): string {
  return [
    `${failures.length === 0 ? 'ok  ' : 'FAIL'} ${name}: ${created} objects created, then unchanged; deleted: ${pruned ?? 'nothing'}`,
    ...(hooks.length > 0 ? [`       hooks left out: ${hooks.join(', ')}`] : []),
    ...[...refused].map(([reason, objects]) => `       not accepted: ${reason}: ${objects.join(', ')}`),
    ...[...blocked].map(([reason, objects]) => `       not reached a second time: ${reason}: ${objects.join(', ')}`),
    ...failures.map((text) => `     ! ${text}`),
  ].join('\n');
}

function summaryOf(results: readonly DocumentsResult[]): string {
  const count = (of: (result: DocumentsResult) => number) => results.reduce((sum, result) => sum + of(result), 0);
  const size = (groups: ReadonlyMap<string, readonly string[]>) => [...groups.values()].flat().length;
  const failed = results.filter(({ failures }) => failures.length > 0).length;
  return [
    `${results.length} charts: ${count(({ created }) => created)} objects created`,
    `${count(({ unchanged }) => unchanged)} of them unchanged by a second deploy, ${count(({ blocked }) => size(blocked))} not reached`,
    `${count(({ pruned }) => (pruned === undefined ? 0 : 1))} pruned`,
    `${count(({ hooks }) => hooks.length)} hooks left out, ${count(({ refused }) => size(refused))} objects not accepted`,
    `${results.length - failed} passed, ${failed} failed`,
  ].join('; ');
}

await main();
