import * as v from 'valibot';

const message = v.strictObject({ text: v.pipe(v.string(), v.minLength(1)) });

/** A reference relative to the root of the repository: percent-encoded, with nothing that leaves it. */
const uri = v.pipe(
  v.string(),
  v.regex(/^(?:[\w.!~*'()-]|%[0-9A-F]{2})+(?:\/(?:[\w.!~*'()-]|%[0-9A-F]{2})+)*$/),
  v.check((text) => !text.split('/').some((part) => part === '..' || part === '.')),
);

const line = v.pipe(v.number(), v.integer(), v.minValue(1));

const physicalLocation = v.strictObject({
  artifactLocation: v.strictObject({ uri, uriBaseId: v.literal('%SRCROOT%') }),
  region: v.strictObject({ startLine: line, startColumn: v.optional(line) }),
});

const result = v.strictObject({
  ruleId: v.string(),
  ruleIndex: v.pipe(v.number(), v.integer(), v.minValue(0)),
  level: v.picklist(['none', 'note', 'warning', 'error']),
  message,
  locations: v.optional(
    v.array(
      v.strictObject({
        physicalLocation: v.optional(physicalLocation),
        logicalLocations: v.optional(v.array(v.strictObject({ name: v.optional(v.string()), fullyQualifiedName: v.string() }))),
      }),
    ),
  ),
  relatedLocations: v.optional(v.array(v.strictObject({ id: v.pipe(v.number(), v.integer(), v.minValue(0)), physicalLocation }))),
  partialFingerprints: v.record(v.string(), v.string()),
  properties: v.record(v.string(), v.string()),
});

const notification = v.strictObject({ level: v.picklist(['none', 'note', 'warning', 'error']), message });

const rule = v.strictObject({
  id: v.string(),
  name: v.string(),
  shortDescription: message,
  fullDescription: message,
  help: message,
});

/**
 * The members of SARIF 2.1.0 that Fieldwise writes, with the constraints of the published schema; that schema permits no others in these
 * objects. Source: OASIS, sarif-schema-2.1.0.json, `definitions`.
 */
export const sarifSchema = v.strictObject({
  $schema: v.pipe(v.string(), v.url()),
  version: v.literal('2.1.0'),
  runs: v.array(
    v.pipe(
      v.strictObject({
        tool: v.strictObject({ driver: v.strictObject({ name: v.string(), version: v.string(), rules: v.array(rule) }) }),
        invocations: v.array(
          v.strictObject({ executionSuccessful: v.boolean(), toolExecutionNotifications: v.optional(v.array(notification)) }),
        ),
        columnKind: v.picklist(['utf16CodeUnits', 'unicodeCodePoints']),
        results: v.array(result),
      }),
      v.check(({ tool, results }) => results.every(({ ruleId, ruleIndex }) => tool.driver.rules[ruleIndex]?.id === ruleId)),
      v.check(({ tool }) => new Set(tool.driver.rules.map(({ id }) => id)).size === tool.driver.rules.length),
    ),
  ),
});
