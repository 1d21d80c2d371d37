import { expect, test } from 'vitest';
import type { Json } from '../../../src/util/json.js';
import { isSameValue } from '../../../src/util/same-value.js';

test.each<[string, Json, Json]>([
  ['a quantity', '1', '1000m'],
  ['a number as the text of a quantity', '1', 1],
  ['a number with an exponent', 1000, 1e3],
  ['a time in another zone', '2024-01-01T00:00:00Z', '2024-01-01T01:00:00+01:00'],
  ['a time with zeros behind the point', '2024-01-01T00:00:00Z', '2024-01-01T00:00:00.000Z'],
  ['a duration', '1h30m0s', '90m'],
  ['an address', '2001:db8::1', '2001:0DB8:0:0:0:0:0:1'],
  ['a network', '2001:db8::/32', '2001:DB8::/32'],
  ['base64 with line breaks', 'aGVsbG8gd29ybGQ=', 'aGVsbG8g\nd29ybGQ='],
  ['a list', ['a', 1], ['a', 1]],
])('the same in another form: %s', (_, live, declared) => expect(isSameValue(live, declared)).toBe(true));

test.each<[string, Json, Json]>([
  ['another text', 'red', 'blue'],
  ['a text that became a number', 80, '80'],
  ['another quantity', '2', '1000m'],
  ['another instant', '2024-01-01T00:00:00Z', '2024-01-01T00:00:00+01:00'],
  ['a part of a second less', '2024-01-01T00:00:00Z', '2024-01-01T00:00:00.5Z'],
  ['no time', '2024-13-01T00:00:00Z', '2024-13-01T00:00:00.0Z'],
  ['another duration', '1h', '61m'],
  ['the other sign', '1m', '-60s'],
  ['another address', '2001:db8::1', '2001:db8::2'],
  ['another length', '2001:db8::/32', '2001:db8::/33'],
  ['a path with colons', 'A:b', 'a:b'],
  ['a text with another line break', 'a b', 'a\nb'],
  ['an image of a mirror', 'mirror/nginx', 'nginx'],
])('another value: %s', (_, live, declared) => expect(isSameValue(live, declared)).toBe(false));
