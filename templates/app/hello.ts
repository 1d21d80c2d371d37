import { type App, Stack } from 'fieldwise';
import { configMap } from 'fieldwise/k8s/core/v1';

/** Declares the stack `hello`. */
export function hello(app: App): Stack {
  const stack = new Stack(app, 'hello');
  // This stack creates and deletes the object. To add fields to an object of others, declare them with `share`.
  stack.own(configMap('hello').withData({ greeting: 'Hello, field!' }));
  return stack;
}
