/** The outcome of a write or removal for one object. Every object of a deploy or destroy ends with exactly one outcome. */
export type Outcome =
  /** The server created the object. */
  | 'created'
  /** The object was deleted and created again, because a declared field is immutable (policy `replace`); see `replaced`. */
  | 'recreated'
  /** The object changed: proved by the server's response and a known resourceVersion. */
  | 'updated'
  /** The object did not change: proved by the server's response and a known resourceVersion. */
  | 'unchanged'
  /** The server accepted the intent; nothing proves whether the object changed. */
  | 'applied'
  /** The object is deleted, or is deleted as soon as its `finalizers` allow it. */
  | 'deleted'
  /** The stack gave up its fields, and the object stays. */
  | 'released'
  /** Nothing was sent, the object stays as it is, and the stack forgot it: policy `retain: true`, or `destroy --retain-rejected`. */
  | 'retained'
  /** The object was to be deleted or released and no longer exists, or another object has its name. */
  | 'absent'
  /** Another manager owns declared fields, and the policy is `fail`; nothing of the object was changed. */
  | 'conflict'
  /** The server rejected the request or was unreachable; see `error`. */
  | 'failed'
  /** The object was not attempted; see `reason`. */
  | 'skipped';
