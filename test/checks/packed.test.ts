import { expect, test } from 'vitest';
import { refusedFiles } from './packed.js';

test.each([
  { path: 'lib/src/a.js', text: 'export {};\n', refused: undefined },
  { path: 'lib/src/a.js', text: 'export {};\n//# sourceMappingURL=a.js.map\n', refused: 'names a source map' },
  { path: 'lib/src/a.cjs', text: '//# sourceMappingURL=data:application/json;base64,e30=', refused: 'names a source map' },
  { path: 'lib/src/a.js.map', text: '{}', refused: 'no source maps' },
  { path: 'lib/src/a.d.ts.map', text: '{}', refused: 'no source maps' },
  { path: 'lib/.tsbuildinfo', text: '{}', refused: 'no build info' },
  { path: 'docs/a.map.md', text: '//# sourceMappingURL=a', refused: undefined },
])('$path $text', ({ path, text, refused }) => {
  const found = refusedFiles([path], () => text);
  if (refused === undefined) expect(found).toEqual([]);
  else expect(found).toEqual([expect.stringContaining(refused)]);
});
