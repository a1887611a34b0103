/** How an enabled connector is, by the last that was heard of it. */
export const HEALTHS = ["not_running", "idle", "ok", "failing", "quarantined"] as const;

export interface Health {
  /** `idle`: nothing of it has run yet; `failing`: the last call failed. */
  readonly status: "idle" | "ok" | "failing";
  readonly last_run_at: string | null;
  /** Why the last call failed; null where it did not. */
  readonly last_error: string | null;
}
