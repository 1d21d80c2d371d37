export { type CheckedGuard, checkGuards, guardProblems } from './check-guards.js';
export { guardAdvice } from './guard-advice.js';
export { type GuardOptions, type Guards, guardsOf } from './guards-of.js';
export { stoppedManagers } from './stopped-managers.js';
export { subjectsOf } from './subjects.js';
