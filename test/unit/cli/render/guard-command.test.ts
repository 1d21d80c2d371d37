import { expect, test } from 'vitest';
import { guardCommand } from '../../../../src/cli/render/guard-command.js';

const guard = { state: 'stale', uncovered: [], left: [], altered: [] } as const;

test.each([
  ['one that warns', { subjects: ['alice', 'group:ops'] }, "fieldwise guard 'web' --deployer 'alice' --deployer 'group:ops'"],
  [
    'one that denies: its last subject may break the glass',
    { subjects: ["o'neil", 'group:oncall'], deny: true },
    "fieldwise guard 'web' --deployer 'o'\\''neil' --deny --break-glass 'oncall'",
  ],
  ['one whose binding does not say for whom', undefined, "fieldwise guard 'web'"],
] as const)('the command prints a guard again for the same deployers: %s', (_, printedFor, command) => {
  expect(guardCommand({ stack: 'web', ...guard, ...(printedFor === undefined ? {} : { printedFor }) })).toBe(command);
});
