/**
 * A subscriber's question to the database about every batch of events. One statement asks the questions of all
 * subscribers, so that another subscriber costs no further round trip. Answers are not cached: each batch asks again.
 */
export interface SubscriberQuery {
  /** Unique among all subscribers. */
  readonly name: string;
  /**
   * SQL without parameters: a select of `(tag, event, found)`, all text, from `asked (bucket, tag, workspace_id, event,
   * patterns, is_sandbox, tenants)`, the distinct workspaces and names of the batch. If `event` is null, the row applies to
   * all events of the tag. `patterns`: an array of all patterns that select the event, with its name. `tenants`: an array
   * of the tenants of the batch's events of that name.
   */
  readonly text: string;
}
