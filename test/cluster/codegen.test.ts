import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fromObject } from 'fieldwise/builders';
import { afterAll, describe, expect, test } from 'vitest';
import { type FieldSet, readFieldsV1, writeFieldsV1 } from '../../src/fields/index.js';
import { fieldSetOf } from '../../src/merge/index.js';
import type { RootType } from '../../src/schema/index.js';
import type { JsonObject } from '../../src/util/json.js';
import { generateCrd } from '../corpus/generated-crd.js';
import { type Part, partsOf } from '../corpus/parts-of.js';
import { type CorpusCrd, readCorpus } from '../corpus/read-corpus.js';
import { ScratchProject } from '../corpus/scratch-project.js';
import type { ResponseBody } from '../harness/api-client.js';
import { removeAtOnce } from '../harness/cleanup.js';
import type { ObjectRef } from '../harness/cluster.js';
import { poll } from '../harness/poll.js';
import { TestEnvironment } from '../harness/test-environment.js';

/**
 * Objects of real CRDs go through generated builders to the server by server-side apply. What the server then says of their
 * owner must be the field set that the generated table predicts.
 */
const ours = fileURLToPath(new URL('../unit/corpus/fixtures', import.meta.url));
/** A directory of many CRDs beside ours: `npm run campaign -- corpus:cluster`; .ci/run takes fewer of them. */
const corpus = process.env.CORPUS;
const corpusCount = Number(process.env.CORPUS_CRDS ?? 30);
const testEnvironment = await TestEnvironment.create('codegen');
const workshop = new ScratchProject();
afterAll(() => workshop.remove());

/** The CRDs that say most about lists and maps. */
function richest(directory: string, count: number): CorpusCrd[] {
  const relations = ({ text }: CorpusCrd) => text.split(/x-kubernetes-(?:list|map)-type:/).length;
  return [...readCorpus(directory)]
    .filter(({ examples }) => examples.length > 0)
    .sort((left, right) => relations(right) - relations(left) || (left.name < right.name ? -1 : 1))
    .slice(0, count);
}

describe('our own CRD', () => checkEach([...readCorpus(ours)]));

if (corpus) describe(`${corpusCount} CRDs of the corpus`, () => checkEach(richest(resolve(corpus), corpusCount)));

function checkEach(crds: readonly CorpusCrd[]): void {
  test.each(crds.map((crd) => [crd.name, crd] as const))('%s', async (_, crd) => {
    const generated = await generateCrd(crd, workshop);
    // The schemas of other conversions are of no interest here, and their webhooks are not there.
    const spec = { ...(crd.document.spec as JsonObject), conversion: { strategy: 'None' } };
    await testEnvironment.crd({ ...crd.document, spec });
    const differing: unknown[] = [];
    for (const { file, content } of crd.examples) {
      if ('unreadable' in content) throw new Error(`${file}: ${content.unreadable}`);
      const parts = partsOf(content.value, generated.roots) ?? [];
      expect(parts.length, file).toBeGreaterThan(0);
      for (const part of parts) {
        await discovered(part.root.root);
        const { predicted, recorded } = await applied(part);
        if (JSON.stringify(predicted) !== JSON.stringify(recorded)) differing.push({ file, predicted, recorded });
      }
      await removeAtOnce(testEnvironment.cluster, bodyOf(parts[0] as Part));
    }
    expect(differing).toEqual([]);
  });
}

/** A group that is known already learns of a new kind a moment after the CRD is established. */
async function discovered({ apiVersion, kind }: RootType): Promise<void> {
  await poll(`${kind} is discovered`, async () => {
    const { resources } = await testEnvironment.cluster.client.call('GET', `/apis/${apiVersion}`).catch(() => ({ resources: [] }));
    return resources.some((resource: ResponseBody) => resource.kind === kind);
  });
}

/** Applies a part and returns the fields that the table predicts and those that the server recorded. */
async function applied(part: Part): Promise<{ readonly predicted: JsonObject; readonly recorded: JsonObject }> {
  const { root } = part.root;
  const body = bodyOf(part);
  const path = await testEnvironment.cluster.path(body);
  const answer = await testEnvironment.cluster.client.call('PATCH', root.subresource === undefined ? path : `${path}/${root.subresource}`, {
    body,
    contentType: 'application/apply-patch+yaml',
    query: { fieldManager: 'codegen', fieldValidation: 'Strict' },
  });
  const entry = answer.metadata.managedFields?.find(({ subresource, manager }: ResponseBody) => {
    return manager === 'codegen' && subresource === root.subresource;
  });
  const owned = root.subresource === undefined ? withoutIdentity : (set: FieldSet) => onlyBelow(set, `f:${root.subresource}`);
  return {
    predicted: writeFieldsV1(owned(fieldSetOf(root.schema, root.type, body as unknown as JsonObject))),
    // An object that is nothing but its name has no owner.
    recorded: writeFieldsV1(readFieldsV1(entry?.fieldsV1)),
  };
}

/** The object of the builder, in the namespace of this file. */
function bodyOf({ root, value }: Part): ObjectRef {
  const { namespace: _, ...metadata } = value.metadata as Record<string, unknown>;
  const placed = root.root.scope === 'Cluster' ? metadata : { ...metadata, namespace: testEnvironment.namespace };
  return fromObject(root.construct as never, { ...value, metadata: placed } as never).build() as ObjectRef;
}

const kept = (names: Iterable<string>, dropped: readonly string[]) => new Set([...names].filter((name) => !dropped.includes(name)));
const serverMetadata = ['creationTimestamp', 'generation', 'managedFields', 'resourceVersion', 'selfLink', 'uid'];

/** Nobody owns what identifies an object, nor what the server keeps of it. Source: "Server-Side Apply", "Field management". */
function withoutIdentity(set: FieldSet): FieldSet {
  const children = new Map(set.children);
  const metadata = children.get('f:metadata');
  if (metadata !== undefined) {
    const never = ['name', 'namespace', ...serverMetadata].map((name) => `f:${name}`);
    const members = kept(metadata.members, never);
    if (members.size > 0 || metadata.children.size > 0) children.set('f:metadata', { ...metadata, members });
    else children.delete('f:metadata');
  }
  return { members: kept(set.members, ['f:apiVersion', 'f:kind']), children };
}

function onlyBelow(set: FieldSet, name: string): FieldSet {
  const child = set.children.get(name);
  return {
    members: new Set([...set.members].filter((member) => member === name)),
    children: new Map(child === undefined ? [] : [[name, child]]),
  };
}
