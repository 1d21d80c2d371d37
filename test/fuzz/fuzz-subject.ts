import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import type { Json, JsonObject } from '../../src/util/json.js';
import { readCrds } from '../vectors/scenario.js';

/** The source from which the generator draws values: the part of OpenAPI that structural schemas use, and its own hints. */
export interface Shape {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly additionalProperties?: Shape;
  readonly items?: Shape;
  readonly required?: readonly string[];
  readonly enum?: readonly Json[];
  readonly minItems?: number;
  readonly nullable?: boolean;
  readonly format?: string;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  /** Values of a scalar. */
  readonly examples?: readonly Json[];
  /** Keys of a map. */
  readonly keys?: readonly string[];
  /** How often a member is there. */
  readonly likely?: number;
}

/** A kind that requests are made for. */
export interface FuzzSubject {
  readonly kind: string;
  readonly apiVersions: readonly string[];
  readonly resource: string;
  readonly namespaced: boolean;
  readonly custom: boolean;
  readonly status: boolean;
  readonly scale: boolean;
  /** Further subresources, which write a part of the object. */
  readonly parts: readonly string[];
  /** How often it is chosen; 0: only where asked for by name. */
  readonly weight: number;
  readonly shape: Shape;
}

const crdDirectory = fileURLToPath(new URL('../vectors/recorded', import.meta.url));
const weights: Readonly<Record<string, number>> = { Press: 32, Tray: 12 };

/** The custom kinds' definitions: ours, kept with the recorded scenarios that need them. */
export function fuzzCrds(): JsonObject[] {
  return readCrds([crdDirectory]).filter((crd) => (crd.spec as JsonObject).group === 'fuzz.example.com');
}

export function subjects(): FuzzSubject[] {
  return [...fuzzCrds().map(customSubject), ...builtInSubjects()];
}

export function customSubject(crd: JsonObject): FuzzSubject {
  const { group, scope, names, versions } = crd.spec as unknown as {
    group: string;
    scope: string;
    names: { kind: string; plural: string };
    versions: { name: string; subresources?: { status?: Json; scale?: Json }; schema: { openAPIV3Schema: Shape } }[];
  };
  const [first] = versions;
  if (first === undefined) throw new Error(`${names.kind} has no version`);
  return {
    kind: names.kind,
    apiVersions: versions.map(({ name }) => `${group}/${name}`),
    resource: names.plural,
    namespaced: scope === 'Namespaced',
    custom: true,
    status: first.subresources?.status !== undefined,
    scale: first.subresources?.scale !== undefined,
    parts: [],
    weight: weights[names.kind] ?? 5,
    shape: first.schema.openAPIV3Schema,
  };
}

function builtInSubjects(): FuzzSubject[] {
  const listed = parse(readFileSync(new URL('./built-in.yaml', import.meta.url), 'utf8'), { merge: true }) as readonly (Pick<
    FuzzSubject,
    'kind' | 'resource' | 'weight'
  > & { apiVersion: string; scope?: string; status?: boolean; scale?: boolean; parts?: readonly string[]; schema: Shape })[];
  return listed.map(({ kind, apiVersion, resource, weight, scope, status = false, scale = false, parts = [], schema }) => ({
    kind,
    apiVersions: [apiVersion],
    resource,
    namespaced: scope !== 'Cluster',
    custom: false,
    status,
    scale,
    parts,
    weight,
    shape: schema,
  }));
}
