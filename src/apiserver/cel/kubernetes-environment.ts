import { once } from '../../util/once.js';
import { functionsOf } from './check/environment.js';
import { authorizerFunctions } from './functions/authorizer.js';
import { cidrs } from './functions/cidr.js';
import { conversions } from './functions/conversions.js';
import { formatFunctions } from './functions/format.js';
import { ips } from './functions/ip.js';
import { lists, mapInsertions, sets } from './functions/lists.js';
import { operators } from './functions/operators.js';
import { optionals } from './functions/optionals.js';
import type { Overload } from './functions/overload.js';
import { quantities } from './functions/quantity.js';
import { regex } from './functions/regex.js';
import { semvers } from './functions/semver.js';
import { strings } from './functions/strings.js';
import { times } from './functions/times.js';
import { urls } from './functions/url.js';

/**
 * Returns the functions that rules of Kubernetes 1.36 may call. Source: Kubernetes documentation "Common Expression Language in
 * Kubernetes", "CEL options, language features, and libraries".
 */
export const kubernetesFunctions: () => ReadonlyMap<string, readonly Overload[]> = once(() =>
  functionsOf([
    operators,
    conversions,
    // The real server tries the lists of `indexOf` first: a value of no certain type then is one. Source: observed.
    lists,
    strings,
    times,
    sets,
    mapInsertions,
    optionals,
    regex,
    urls,
    quantities,
    ips,
    cidrs,
    semvers,
    formatFunctions,
    authorizerFunctions,
  ]),
);
