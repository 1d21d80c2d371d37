import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { JsonObject } from '../../src/util/json.js';

/** A recorded scenario; the format is described beside the shared vectors. */
export interface Scenario {
  readonly id: string;
  readonly kind: string;
  readonly note?: string;
  readonly steps: readonly Step[];
}

export interface Step {
  readonly op: 'apply' | 'create' | 'update' | 'merge-patch' | 'json-patch' | 'strategic-merge-patch' | 'delete' | 'get';
  readonly target: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly namespace?: string;
    readonly name: string;
    readonly subresource?: string;
  };
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: JsonObject;
  readonly rawBody?: string;
  readonly result: {
    readonly code: number;
    readonly object?: JsonObject;
    readonly status?: JsonObject;
    readonly messages?: readonly string[];
    readonly text?: string;
  };
  readonly live: 'response' | 'unchanged' | 'absent' | JsonObject;
  readonly rv: string;
}

/** Scenarios of files, or of all files of directories: `.ndjson` and `.ndjson.gz`. */
export function* readScenarios(paths: readonly string[]): Generator<Scenario> {
  for (const path of paths.flatMap(filesOf)) {
    const bytes = readFileSync(path);
    const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
    // Tokens such as `@3` stand for times; the engine wants to read them.
    for (const line of text.split('\n')) if (line.trim() !== '') yield JSON.parse(withTimes(line)) as Scenario;
  }
}

function filesOf(path: string): string[] {
  if (!existsSync(path)) throw new Error(`There is no ${path}.`);
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .filter((name) => /\.ndjson(\.gz)?$/.test(name))
    .map((name) => join(path, name));
}

function withTimes(line: string): string {
  return line.replace(/"@(\d+)"/g, (_, step: string) => `"${timeOf(Number(step))}"`);
}

/** The time of a step; steps count from 1. Later than all times that scenarios make up. */
export function timeOf(step: number): string {
  return new Date(Date.UTC(2030, 0, 1) + step * 1000).toISOString().replace('.000Z', 'Z');
}
