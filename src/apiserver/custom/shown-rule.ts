import type { JsonObject } from '../../util/json.js';

/** Returns a rule of a schema as messages show it: all members of the real server's type, set or not. Source: observed. */
export function shownRule({
  rule = '',
  message = '',
  messageExpression = '',
  reason = null,
  fieldPath = '',
  optionalOldSelf = null,
}: JsonObject): JsonObject {
  return {
    Rule: rule,
    Message: message,
    MessageExpression: messageExpression,
    Reason: reason,
    FieldPath: fieldPath,
    OptionalOldSelf: optionalOldSelf,
  };
}
