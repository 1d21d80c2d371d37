import { expect, test } from 'vitest';
import { isMerged, isReplaced, mergeKeyOf } from '../../../src/apiserver/patch/patch-strategies.js';
import { openApiDocuments } from '../../openapi-sample/openapi-documents.js';

interface Member {
  readonly type?: string;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-patch-strategy'?: string;
  readonly 'x-kubernetes-patch-merge-key'?: string;
}

test('a strategic merge patch merges or replaces each list of the built-in kinds as its schema says', () => {
  let lists = 0;
  for (const { document } of openApiDocuments()) {
    const { schemas } = document.components as unknown as {
      readonly schemas: Readonly<Record<string, { properties?: Record<string, Member> }>>;
    };
    for (const [type, schema] of Object.entries(schemas)) {
      const owner = type.slice(type.lastIndexOf('.') + 1);
      for (const [name, member] of Object.entries(schema.properties ?? {})) {
        const strategy = member['x-kubernetes-patch-strategy'] ?? '';
        if (strategy === 'replace') expect(isReplaced(owner, name), `${owner}.${name}`).toBe(true);
        if (member.type !== 'array') continue;
        lists += 1;
        const associative = ['map', 'set'].includes(member['x-kubernetes-list-type'] ?? '');
        const merges = isMerged(owner, name) || (associative && !isReplaced(owner, name));
        expect(merges, `${owner}.${name}`).toBe(strategy.includes('merge'));
        if (!merges) continue;
        const key = mergeKeyOf(owner, name, member['x-kubernetes-list-map-keys'] ?? []);
        expect(key, `${owner}.${name}`).toBe(member['x-kubernetes-patch-merge-key']);
      }
    }
  }
  expect(lists).toBeGreaterThan(process.env.OPENAPI ? 500 : 100);
});
