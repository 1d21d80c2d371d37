/** A text that is not YAML, or too large when its aliases are resolved; the message is the server's. */
export class YamlTextError extends Error {
  override readonly name = 'YamlTextError';
}
