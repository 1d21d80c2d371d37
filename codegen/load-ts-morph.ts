import { createRequire } from 'node:module';

/**
 * ts-morph, loaded when it is first needed: only `import` does. By `require`, because `import` would first look through nine
 * megabytes of CommonJS for the names that it exports.
 */
export function loadTsMorph(): typeof import('ts-morph') {
  return createRequire(import.meta.url)('ts-morph');
}
