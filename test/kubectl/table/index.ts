import type { KubectlScenario } from '../scenario.js';
import { apply } from './apply.js';
import { change } from './change.js';
import { cluster } from './cluster.js';
import { create } from './create.js';
import { custom } from './custom.js';
import { describe } from './describe.js';
import { get } from './get.js';

/** The commands that both servers are given. */
export const scenarios: readonly KubectlScenario[] = [...cluster, ...create, ...get, ...describe, ...change, ...apply, ...custom];
