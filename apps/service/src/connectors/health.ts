/** How an enabled connector is, by the last that was heard of it. */
export const HEALTHS = ["not_running", "idle", "ok", "failing", "quarantined"] as const;

export interface Health {
  /** `idle`: nothing of it has run yet; `failing`: the last call failed. */
  readonly status: "idle" | "ok" | "failing";
  readonly last_run_at: string | null;
  /** Of the last call that failed, so long as it is kept. */
  readonly last_error: string | null;
}
