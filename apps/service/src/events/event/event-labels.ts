/** The members that a caller adds to an event besides its data. Endpoints with channels get the events that share one. */
export interface EventLabels {
  /** The caller's own id of the event, unique for each tenant. */
  readonly uid: string | null;
  readonly channels: readonly string[] | null;
  readonly tags: readonly string[] | null;
  /** The JSON text of an object. */
  readonly metadata: string | null;
}
