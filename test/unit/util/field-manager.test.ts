import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldManagerMaxBytes, fieldManagerOf } from '../../../src/util/field-manager.js';

describe('fieldManagerOf', () => {
  it.each([
    ['plain names', ['shop', 'default', 'gateway'], 'fieldwise/shop/default/gateway'],
    ['a nested stack', ['shop', 'staging', 'team/gateway'], 'fieldwise/shop/staging/team%2Fgateway'],
    ['letters outside ASCII', ['läden', 'default', 'a b%'], 'fieldwise/l%C3%A4den/default/a%20b%25'],
    ['a slash that could be a border', ['a/b', 'c', 'd'], 'fieldwise/a%2Fb/c/d'],
  ])('%s', (_, [app = '', instance = '', stack = ''], manager) => {
    expect(fieldManagerOf({ app, instance, stack })).toBe(manager);
  });

  it('cuts a long one and ends it in a hash of the whole', () => {
    const first = fieldManagerOf({ app: 'shop', instance: 'default', stack: 'x'.repeat(200) });
    const second = fieldManagerOf({ app: 'shop', instance: 'default', stack: `${'x'.repeat(199)}y` });
    expect(first).toMatch(/^fieldwise\/shop\/default\/x+~[0-9a-f]{24}$/);
    expect(Buffer.byteLength(first)).toBe(fieldManagerMaxBytes);
    expect(second).not.toBe(first);
  });

  const part = fc.oneof(
    fc.string({ minLength: 1 }),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 80 }),
    fc.stringMatching(/^[/%~a-c]{1,4}$/),
  );
  const identity = fc.record({ app: part, instance: part, stack: part });

  it('is printable, at most 128 bytes, and the same every time', () => {
    fc.assert(
      fc.property(identity, (one) => {
        const manager = fieldManagerOf(one);
        expect(manager).toMatch(/^[\x21-\x7e]{1,128}$/);
        expect(fieldManagerOf({ ...one })).toBe(manager);
      }),
    );
  });

  it('is another one for another stack', () => {
    fc.assert(
      fc.property(identity, identity, (left, right) => {
        fc.pre(left.app !== right.app || left.instance !== right.instance || left.stack !== right.stack);
        expect(fieldManagerOf(left)).not.toBe(fieldManagerOf(right));
      }),
      { numRuns: 2000 },
    );
  });
});
