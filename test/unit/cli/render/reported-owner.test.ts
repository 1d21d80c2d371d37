import { expect, test } from 'vitest';
import { ownersText, reportedOwner } from '../../../../src/cli/render/field-text.js';

const web = 'fieldwise/shop/default/web';
const long = `fieldwise/shop/default/${'x'.repeat(80)}~0123456789abcdef01234567`;

test.each([
  ['of another manager', 'helm', web, 'helm (Helm 4)'],
  ['of the same app and instance', 'fieldwise/shop/default/edge', web, 'stack edge'],
  ['of a name with other characters', 'fieldwise/shop/default/a%2Fb%C3%A9', web, 'stack a/bé'],
  ['of another instance', 'fieldwise/shop/blue/web', web, 'stack shop/blue/web'],
  ['of another app', 'fieldwise/platform/default/limits', web, 'stack platform/default/limits'],
  ['whose manager is cut', long, web, long],
  ['where our manager is cut', 'fieldwise/shop/default/edge', long, 'stack shop/default/edge'],
])('an owner %s is named as in a plan', (_, from, ours, text) => {
  const shown = ownersText([reportedOwner({ from, operation: 'Apply' }, ours)]);
  expect(shown).toBe(text.includes('~') ? JSON.stringify(text) : text);
});

test('a manager that updates is no stack, whatever its name', () => {
  expect(ownersText([reportedOwner({ from: web, operation: 'Update', subresource: 'scale' }, web)])).toBe(`${web} (Update, scale)`);
});
