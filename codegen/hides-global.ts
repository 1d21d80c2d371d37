/**
 * Names that a program expects to mean something else: globals of Node.js and of browsers in lower case, and words of TypeScript. A function of
 * a generated module with such a name would hide it, or read as if it were one.
 */
const expected = new Set(
  // TypeScript: keywords that may be names, and what types are called.
  (
    'abstract any array as asserts async bigint boolean constructor declare from get global infer intrinsic is keyof keys module namespace ' +
    'never number object of out override readonly record require satisfies set string symbol type undefined unique unknown using values ' +
    // Node.js. Source: Node.js documentation, "Global objects".
    'atob btoa buffer console crypto exports fetch navigator performance process queueMicrotask structuredClone ' +
    // A module with this function is a thenable, so that an `import()` of it never ends.
    'then ' +
    // Test runners.
    'afterAll afterEach beforeAll beforeEach describe expect it test ' +
    // Browsers. Source: HTML Living Standard, "The Window object"; UI Events; CSSOM View.
    'alert blur caches close closed confirm document event external find focus frames history length location locationbar menubar name ' +
    'open opener origin parent personalbar postMessage print prompt scheduler screen scroll scrollbars self status statusbar stop toolbar top window'
  ).split(' '),
);

/** Returns true if a function of this name would hide a global of the program that imports it. */
export function hidesGlobal(functionName: string): boolean {
  return expected.has(functionName);
}
