/**
 * How a write or removal of one object ended:
 *
 * - `created`: the server answered 201.
 * - `updated`, `unchanged`: proved, by a resourceVersion or by the manager's own managedFields entry.
 * - `applied`: accepted, and nothing proves whether it changed anything.
 * - `released`: the manager's fields are given up; the object stays.
 * - `deleted`: deleted, or being deleted while finalizers hold the object.
 * - `recreated`: deleted and created again, because the server does not let a declared field change.
 * - `retained`: no longer declared, or destroyed, under `retain: true` or `--retain-rejected`; nothing was sent and the inventory has no
 *   entry any more.
 * - `absent`: the object does not exist any more, or another object has its name; nothing was written.
 * - `skipped`: not attempted.
 * - `failed`: refused, or the server could not be reached.
 * - `conflict`: another manager owns declared fields and the policy is `fail`; nothing was changed.
 */
export type Outcome =
  | 'created'
  | 'updated'
  | 'unchanged'
  | 'applied'
  | 'released'
  | 'deleted'
  | 'recreated'
  | 'retained'
  | 'absent'
  | 'skipped'
  | 'failed'
  | 'conflict';
