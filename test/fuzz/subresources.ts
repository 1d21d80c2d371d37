import type { Json, JsonObject } from '../../src/util/json.js';
import { damaged } from './mutate.js';
import { asBody, type Planned, symbols } from './planned.js';
import { managers, type RequestAuthor } from './request-author.js';
import { drawn } from './values.js';

/** A write of the status subresource. */
export function statusRequest(speaker: RequestAuthor, live: JsonObject | undefined): Planned {
  const random = speaker.random;
  const shape = speaker.subject.shape.properties?.status ?? { type: 'object', properties: { phase: { type: 'string' } } };
  const status = () => {
    const value = drawn(random, shape, 1) as JsonObject;
    return speaker.breaks(0.1) ? damaged(random, shape, value) : value;
  };
  const target = speaker.target('status');
  const more = random.chance(0.15) ? (drawn(random, speaker.main(speaker.subject.shape)) as JsonObject) : {};
  switch (random.below(3)) {
    case 0: {
      const manager = random.pick(managers);
      const body = speaker.addressed({ ...more, status: status() }, manager);
      const query = { fieldManager: manager, ...(random.chance(0.4) ? { force: 'true' } : {}) };
      return { ...speaker.step('apply', body, query), target };
    }
    case 1:
      return { ...speaker.step('merge-patch', { ...more, status: status() }, speaker.manager()), target };
    default: {
      const body = live === undefined ? speaker.addressed({}, 'm1') : { ...asBody(live), apiVersion: speaker.apiVersion };
      return {
        ...speaker.step('update', { ...body, ...more, metadata: body.metadata as Json, status: status() }, speaker.manager()),
        target,
      };
    }
  }
}

/** A write of the scale subresource. */
export function scaleRequest(speaker: RequestAuthor): Planned {
  const random = speaker.random;
  const target = speaker.target('scale');
  const replicas = random.pick<Json>([0, 1, 2, 3, 3, -1, 'x', null]);
  const spec = random.chance(0.9) ? { replicas } : {};
  const metadata = { name: speaker.id, ...(speaker.namespace === undefined ? {} : { namespace: speaker.namespace }) };
  const whole: JsonObject = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata, spec };
  switch (random.below(3)) {
    case 0: {
      const query = { fieldManager: random.pick(managers), ...(random.chance(0.4) ? { force: 'true' } : {}) };
      return { ...speaker.step('apply', whole, query), target };
    }
    case 1:
      return { ...speaker.step('merge-patch', { spec }, speaker.manager()), target };
    default: {
      const resourceVersion = random.chance(0.5) ? { resourceVersion: symbols.resourceVersion } : {};
      return { ...speaker.step('update', { ...whole, metadata: { ...metadata, ...resourceVersion } }, speaker.manager()), target };
    }
  }
}

/** A write of a part of a Pod's spec. */
export function partRequest(speaker: RequestAuthor, live: JsonObject | undefined): Planned {
  const random = speaker.random;
  const part = random.pick(speaker.subject.parts);
  const target = speaker.target(part);
  const shape = speaker.subject.shape.properties?.spec?.properties ?? {};
  const [list, member] = part === 'resize' ? (['containers', 'resources'] as const) : (['ephemeralContainers', undefined] as const);
  const items = (drawn(random, shape[list] ?? {}, 2) as readonly JsonObject[]).map((item) =>
    member === undefined ? item : { name: item.name as Json, ...(item[member] === undefined ? {} : { [member]: item[member] }) },
  );
  const more = random.chance(0.15) ? (drawn(random, speaker.main(speaker.subject.shape)) as JsonObject) : {};
  const content = { ...more, spec: { [list]: items } } as JsonObject;
  switch (random.below(4)) {
    case 0: {
      const manager = random.pick(managers);
      const query = { fieldManager: manager, ...(random.chance(0.4) ? { force: 'true' } : {}) };
      return { ...speaker.step('apply', speaker.addressed(content, manager), query), target };
    }
    case 1: {
      const body = live === undefined ? speaker.addressed({}, 'm1') : { ...asBody(live), apiVersion: speaker.apiVersion };
      const spec = { ...((body.spec ?? {}) as JsonObject), ...(content.spec as JsonObject) };
      return { ...speaker.step('update', { ...body, spec }, speaker.manager()), target };
    }
    default:
      return { ...speaker.step(random.chance(0.3) ? 'merge-patch' : 'strategic-merge-patch', content, speaker.manager()), target };
  }
}
