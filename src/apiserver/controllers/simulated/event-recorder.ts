import { metadataOf, nameOf, uidOf } from '../../../fields/object.js';
import type { JsonObject } from '../../../util/json.js';
import { type Clock, timestamp } from '../../storage/clock.js';
import { pathOf, RefusedRequest, request, resources, type SimulatedClient } from './simulated-client.js';

/** An event about an object. */
export interface SimulatedEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  /** The part of the object, such as `spec.containers{web}`. */
  readonly fieldPath?: string | undefined;
  /** The name of its reporter, such as `deployment-controller`. */
  readonly component: string;
  /** The field manager of its reporter. */
  readonly manager: string;
  /** The node of its reporter. */
  readonly host?: string;
}

interface Recorded {
  readonly name: string;
  count: number;
}

/** The events that are remembered, so that a repeated one counts up. */
const remembered = 4_096;

/** Records events as the client library of controllers does: the same event again counts up. Source: Kubernetes API reference, Event. */
export class EventRecorder {
  readonly #client: SimulatedClient;
  readonly #clock: Clock;
  readonly #recorded = new Map<string, Recorded>();
  #sequence = 0;

  constructor(client: SimulatedClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** Records an event. One that the server refuses is lost, as for any controller. */
  async record(object: JsonObject, event: SimulatedEvent): Promise<void> {
    try {
      await this.#write(object, event);
    } catch (error) {
      if (!(error instanceof RefusedRequest)) throw error;
    }
  }

  async #write(object: JsonObject, event: SimulatedEvent): Promise<void> {
    const { component, manager, host, fieldPath, ...content } = event;
    // The events of objects without a namespace are in `default`.
    const namespace = metadataOf(object).namespace ?? 'default';
    const key = JSON.stringify([uidOf(object), event]);
    const now = timestamp(this.#clock);
    const known = this.#recorded.get(key);
    if (known !== undefined) {
      known.count += 1;
      const body = { count: known.count, lastTimestamp: now };
      const path = pathOf(resources.Event, namespace, known.name);
      await request(this.#client, { method: 'PATCH', path, manager, contentType: 'application/strategic-merge-patch+json', body });
      return;
    }
    this.#sequence += 1;
    const name = `${nameOf(object)}.${Math.trunc(this.#clock()).toString(16)}${this.#sequence.toString(16).padStart(5, '0')}`;
    this.#remember(key, { name, count: 1 });
    const { apiVersion = '', kind = '' } = object;
    const { resourceVersion = '' } = metadataOf(object);
    const involvedObject = {
      ...{ apiVersion, kind, name: nameOf(object), uid: uidOf(object), resourceVersion },
      ...(metadataOf(object).namespace === undefined ? {} : { namespace }),
      ...(fieldPath === undefined ? {} : { fieldPath }),
    };
    const body: JsonObject = {
      ...{ apiVersion: 'v1', kind: 'Event', metadata: { name, namespace }, involvedObject, ...content },
      ...{ count: 1, firstTimestamp: now, lastTimestamp: now },
      ...{ source: { component, ...(host === undefined ? {} : { host }) }, reportingComponent: component, reportingInstance: host ?? '' },
    };
    await request(this.#client, { method: 'POST', path: pathOf(resources.Event, namespace), manager, body });
  }

  #remember(key: string, recorded: Recorded): void {
    const [oldest] = this.#recorded.keys();
    if (this.#recorded.size >= remembered && oldest !== undefined) this.#recorded.delete(oldest);
    this.#recorded.set(key, recorded);
  }
}
