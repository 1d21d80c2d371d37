import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { isMerged, isReplaced, mergeKeyOf } from '../../../src/embedded/patch/patch-strategies.js';

const published = fileURLToPath(new URL('../../../../shared/openapi/v1.36', import.meta.url));
const present = existsSync(published);
if (!present) process.stderr.write(`patch strategies are not compared with published OpenAPI: there is no ${published}\n`);

interface Member {
  readonly type?: string;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-patch-strategy'?: string;
  readonly 'x-kubernetes-patch-merge-key'?: string;
}

test.skipIf(!present)('a strategic merge patch merges or replaces each list of the built-in kinds as its schema says', () => {
  let lists = 0;
  for (const file of readdirSync(published).filter((name) => name.endsWith('.json'))) {
    const { components } = JSON.parse(readFileSync(`${published}/${file}`, 'utf8'));
    for (const [type, schema] of Object.entries<{ properties?: Record<string, Member> }>(components?.schemas ?? {})) {
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
  expect(lists).toBeGreaterThan(500);
});
