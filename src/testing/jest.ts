/**
 * `fieldwise/testing/jest`: adds the matchers to the global `expect` of jest. Import it in a test file, or name it in `setupFilesAfterEnv`.
 * See docs/testing.md.
 */

import type {} from 'expect';
import { FieldwiseError } from '../util/error.js';
import { type FieldwiseMatchers, matchers } from './matchers/matchers.js';

/** The part of jest's `expect` that this module needs. */
interface Expect {
  extend(added: typeof matchers): void;
}

const { expect } = globalThis as { readonly expect?: Expect };
if (typeof expect?.extend !== 'function') {
  throw new FieldwiseError('option-invalid', 'usage', 'There is no global `expect` that matchers can be added to', {
    next: "Import this module in a test or in `setupFilesAfterEnv`; with `injectGlobals: false`, call `expect.extend(matchers)` with `matchers` of 'fieldwise/testing'.",
  });
}
expect.extend(matchers);

// For `expect` of @jest/globals.
declare module 'expect' {
  interface Matchers<R> extends FieldwiseMatchers<R> {}
}

declare global {
  // For the global `expect` of @types/jest.
  namespace jest {
    // biome-ignore lint/complexity/noBannedTypes: the type parameters must be declared as in @types/jest
    interface Matchers<R, T = {}> extends FieldwiseMatchers<R> {}
  }
}

export * from './index.js';
