/**
 * `fieldwise/testing/vitest`: adds the matchers to `expect` of vitest. Import it in a test file, or name it in `setupFiles`. See
 * docs/testing.md.
 */

import { expect } from 'vitest';
// Stays in the declarations: without it, the types are missing where this module is imported before vitest.
import 'vitest';
import { type FieldwiseMatchers, matchers } from './matchers/matchers.js';

expect.extend(matchers);

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: the type parameter must be declared as in vitest
  interface Assertion<T = any> extends FieldwiseMatchers<void> {}
}

export * from './index.js';
