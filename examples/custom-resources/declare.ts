import { type App, Stack } from 'fieldwise';
import * as builders from './builders.js';
import * as literals from './literals.js';

/** Declares two stacks: what the platform team installs around the shop, and the shop. Both forms declare the same. */
export function declare(app: App, form: 'builders' | 'literals'): void {
  const { platform, shop } = form === 'builders' ? builders : literals;
  for (const [name, objects] of Object.entries({ platform, shop })) {
    const stack = new Stack(app, name);
    for (const object of objects) stack.own(object);
  }
}
