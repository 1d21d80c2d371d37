import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { mutationCase } from '../../corpus/mutation-case.js';

// A sample of what test/corpus/mutate.ts does with a whole corpus.
test.each(['shared-gateway', 'odd-thing'])(
  '50 mutations of %s are generated as valid modules or refused',
  async (name) => {
    const crd: unknown = parse(readFileSync(new URL(`./fixtures/${name}.yaml`, import.meta.url), 'utf8'));
    const outcomes = new Map<string, number>();
    for (let seed = 1; seed <= 50; seed++) {
      const { outcome, detail, steps } = await mutationCase(crd, seed);
      expect(outcome, `seed ${seed} (${steps.join('; ')}): ${detail}`).not.toBe('failed');
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    expect(outcomes.get('generated')).toBeGreaterThan(25);
    expect(outcomes.get('refused')).toBeGreaterThan(0);
  },
  60_000,
);
