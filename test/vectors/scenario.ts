import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parseAllDocuments } from 'yaml';
import type { PrunedContainers } from '../../src/merge/index.js';
import type { Json, JsonObject } from '../../src/util/json.js';

/** A recorded scenario: requests to an API server and its responses, with tokens for values that differ between runs. */
export interface Scenario {
  readonly id: string;
  readonly kind?: string;
  readonly note?: string;
  readonly steps: readonly Step[];
}

/** The request of a step. */
export interface RequestedStep {
  readonly op: keyof typeof requests;
  readonly target: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly resource: string;
    readonly namespace?: string;
    readonly name: string;
    readonly subresource?: string;
  };
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Json;
  readonly rawBody?: string;
  readonly contentType?: string;
  /** Value of the Accept header. @default 'application/json' */
  readonly accept?: string;
}

export interface Step extends RequestedStep {
  readonly result: {
    readonly code: number;
    readonly object?: JsonObject;
    readonly status?: JsonObject;
    readonly messages?: readonly string[];
    readonly text?: string;
    readonly warnings?: readonly string[];
  };
  readonly live: 'response' | 'unchanged' | 'absent' | JsonObject;
  readonly rv: 'created' | 'changed' | 'same' | 'deleted' | 'absent';
}

/** Method and content type of each operation. */
export const requests = {
  apply: ['PATCH', 'application/apply-patch+yaml'],
  create: ['POST', 'application/json'],
  update: ['PUT', 'application/json'],
  'merge-patch': ['PATCH', 'application/merge-patch+json'],
  'json-patch': ['PATCH', 'application/json-patch+json'],
  'strategic-merge-patch': ['PATCH', 'application/strategic-merge-patch+json'],
  delete: ['DELETE', 'application/json'],
  get: ['GET', 'application/json'],
} as const;

/** Yields the scenarios of files, or of all files of directories: `.ndjson` and `.ndjson.gz`. */
export function* readScenarios(paths: readonly string[]): Generator<Scenario> {
  for (const path of paths.flatMap(filesOf)) {
    const bytes = readFileSync(path);
    const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
    for (const line of text.split('\n')) if (line.trim() !== '') yield JSON.parse(line) as Scenario;
  }
}

function filesOf(path: string): string[] {
  if (!existsSync(path)) throw new Error(`There is no ${path}.`);
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .filter((name) => /\.ndjson(\.gz)?$/.test(name))
    .map((name) => join(path, name));
}

/**
 * Returns the treatment of emptied containers by the recorded server, whose version is in `manifest.json` beside the scenarios. See
 * `docs/decisions/10-emptied-containers.md`.
 *
 * @throws Error if the files come from servers that differ in this.
 */
export function prunedContainersIn(paths: readonly string[]): PrunedContainers {
  const versions = paths.flatMap((path) => recordedVersion(path) ?? []);
  const kinds = new Set(versions.map((version): PrunedContainers => (before1363(version) ? 'keep-empty' : 'null')));
  if (kinds.size > 1) throw new Error(`Replay them separately: they were recorded from ${[...new Set(versions)].join(' and ')}.`);
  return [...kinds][0] ?? 'null';
}

function recordedVersion(path: string): string | undefined {
  const manifest = join(statSync(path).isDirectory() ? path : dirname(path), 'manifest.json');
  if (!existsSync(manifest)) return undefined;
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { server?: string }).server;
}

function before1363(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.replace(/^v/, '').split('.').map(Number);
  return major * 1e6 + minor * 1e3 + patch < 1_036_003;
}

/** Returns the CustomResourceDefinitions in `crds` directories beside scenarios. */
export function readCrds(paths: readonly string[]): JsonObject[] {
  const directories = new Set(paths.map((path) => join(existsSync(path) && !statSync(path).isDirectory() ? dirname(path) : path, 'crds')));
  return [...directories]
    .filter((directory) => existsSync(directory))
    .flatMap((directory) => readdirSync(directory).map((name) => join(directory, name)))
    .filter((file) => /\.ya?ml$/.test(file))
    .flatMap((file) => parseAllDocuments(readFileSync(file, 'utf8')).map((document) => document.toJS() as JsonObject));
}

/** Returns the path of the object that a step addresses, or of its collection. */
export function pathOf({ apiVersion, namespace, resource, name }: Step['target'], subresource?: string): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const scope = namespace === undefined ? '' : `/namespaces/${namespace}`;
  return `${root}${scope}/${resource}/${name}${subresource === undefined ? '' : `/${subresource}`}`;
}
