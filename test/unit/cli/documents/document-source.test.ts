import { describe, expect, test } from 'vitest';
import { documentSourceOf } from '../../../../src/cli/config/document-source.js';

describe('documentSourceOf', () => {
  test.each([
    { flags: {}, source: undefined },
    { flags: { file: ['a'], stack: 'web' }, source: { paths: ['a'], stack: 'web', lifecycle: 'own', helmHooks: 'skip' } },
    {
      flags: { file: ['-'], stack: 'web', share: true, helmHooks: 'order' },
      source: { paths: ['-'], stack: 'web', lifecycle: 'share', helmHooks: 'order' },
    },
    { flags: { stack: 'web', own: true }, source: { paths: [], stack: 'web', lifecycle: 'own', helmHooks: 'skip' } },
  ])('$flags', ({ flags, source }) => {
    expect(documentSourceOf(flags, undefined)).toEqual(source);
  });

  test.each([
    { flags: { file: ['a'] }, code: 'documents-misused' },
    { flags: { file: ['a'], stack: ' ' }, code: 'documents-misused' },
    { flags: { stack: 'web', own: true, share: true }, code: 'documents-misused' },
    { flags: { stack: 'web', app: 'main.ts' }, code: 'documents-misused' },
    { flags: { stack: 'web', context: ['a=b'] }, code: 'flag-without-use' },
    { flags: { stack: 'web', pruneStacks: true }, code: 'flag-without-use' },
    { flags: { own: true }, code: 'flag-without-use' },
    { flags: { share: true }, code: 'flag-without-use' },
    { flags: { helmHooks: 'skip' }, code: 'flag-without-use' },
    { flags: { stack: 'web', helmHooks: 'run' }, code: 'flag-invalid' },
  ])('$flags is refused: $code', ({ flags, code }) => {
    expect(() => documentSourceOf(flags, undefined)).toThrow(expect.objectContaining({ code }));
  });

  test('documents do not get the app name of a program by accident', () => {
    const flags = { file: ['a'], stack: 'web' };
    expect(() => documentSourceOf(flags, 'main.ts')).toThrow(
      expect.objectContaining({ code: 'documents-misused', next: expect.stringContaining('--name') }),
    );
    expect(documentSourceOf({ ...flags, name: 'extras' }, 'main.ts')).toMatchObject({ stack: 'web' });
  });
});
