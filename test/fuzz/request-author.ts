import { isJsonObject, type Json, type JsonObject } from '../../src/util/json.js';
import type { Random } from '../corpus/random.js';
import type { Step } from '../vectors/scenario.js';
import type { FuzzSubject, Shape } from './fuzz-subject.js';
import { metadataShape } from './metadata-shape.js';
import { withLastApplied } from './odd-bodies.js';
import { type Planned, symbols } from './planned.js';

export const managers = ['m1', 'm2', 'm3', 'kubectl'] as const;

/** The common part of the requests of one scenario: one object, and the version that each request uses. */
export class RequestAuthor {
  readonly random: Random;
  readonly subject: FuzzSubject;
  readonly id: string;
  readonly namespace: string | undefined;
  /** In which version the step at hand speaks. */
  apiVersion: string;

  constructor(random: Random, subject: FuzzSubject, id: string, namespace: string) {
    this.random = random;
    this.subject = subject;
    this.id = id;
    this.namespace = subject.namespaced ? namespace : undefined;
    this.apiVersion = subject.apiVersions[0] as string;
  }

  /** The shape of the object itself: its status belongs to the subresource, mostly. */
  main(shape: Shape): Shape {
    const { status, ...properties } = shape.properties ?? {};
    const rare = status === undefined || !this.random.chance(0.04) ? {} : { status };
    return { ...shape, properties: { ...properties, ...rare, metadata: { ...metadataShape, likely: 0.35 } } };
  }

  /** A body with what makes it one of the object, and now and then with what should not be there. */
  addressed(content: JsonObject, manager: string): JsonObject {
    const random = this.random;
    const { kind } = this.subject;
    const extra: Record<string, Json> = {};
    if (random.chance(0.025)) extra.resourceVersion = random.pick([symbols.resourceVersion, symbols.stale, '0', '', 'abc']);
    if (random.chance(0.025)) extra.uid = random.pick([symbols.uid, '00000000-0000-4000-8000-000000000002', '']);
    if (random.chance(0.015)) extra.managedFields = random.pick<Json>([null, [], [{}], symbols.managedFields]);
    if (random.chance(0.01)) extra.generateName = 'made-';
    if (random.chance(0.01)) extra.creationTimestamp = random.pick<Json>([null, '2001-01-01T00:00:00Z', symbols.creationTimestamp]);
    if (random.chance(0.01)) extra.generation = random.pick<Json>([7, 0, null]);
    const metadata = isJsonObject(content.metadata) ? content.metadata : {};
    const body: JsonObject = {
      apiVersion: random.chance(0.006) ? random.pick<Json>(['v9', '', 'apps/v1']) : this.apiVersion,
      kind: random.chance(0.004) ? random.pick<Json>(['Else', '']) : kind,
      ...content,
      metadata: {
        ...metadata,
        ...(random.chance(0.01) ? (random.chance(0.5) ? {} : { name: `${this.id}-x` }) : { name: this.id }),
        ...(this.namespace === undefined || random.chance(0.3) ? {} : { namespace: random.chance(0.01) ? 'another' : this.namespace }),
        ...extra,
      },
    };
    return manager === 'kubectl' && random.chance(0.15) ? withLastApplied(body) : body;
  }

  /** Decides whether to break a value, of custom kinds only: the response of a built-in kind to a broken value depends on server code. */
  breaks(likelihood: number): boolean {
    return this.subject.custom && this.random.chance(likelihood);
  }

  /** A field manager, mostly. */
  manager(): Record<string, string> {
    return this.random.chance(0.8) ? { fieldManager: this.random.pick(managers) } : {};
  }

  /** A request for the object, with options of all kinds now and then. */
  step(op: Step['op'], body?: Json, query: Record<string, string> = {}): Planned {
    const random = this.random;
    const more: Record<string, string> = {};
    if (op !== 'get') {
      if (random.chance(0.07)) more.dryRun = 'All';
      if (random.chance(0.25)) more.fieldValidation = random.pick(['Strict', 'Warn', 'Ignore']);
      if (random.chance(0.004)) more.fieldValidation = 'Maybe';
      if (random.chance(0.004)) more.dryRun = 'Some';
      if (random.chance(0.004)) more.fieldManager = random.pick(['', 'é', 'x'.repeat(129), 'a\u0001b']);
      if (random.chance(0.004)) more.force = random.pick(['true', 'maybe']);
    }
    return { op, target: this.target(), query: { ...query, ...more }, ...(body === undefined ? {} : { body }) };
  }

  target(subresource?: string): Planned['target'] {
    const { kind, resource } = this.subject;
    return {
      apiVersion: this.apiVersion,
      kind,
      resource,
      ...(this.namespace === undefined ? {} : { namespace: this.namespace }),
      name: this.id,
      ...(subresource === undefined ? {} : { subresource }),
    };
  }
}
