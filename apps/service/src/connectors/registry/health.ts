/** The health of a connector, based on its last call. */
export const HEALTHS = ["not_running", "idle", "ok", "failing", "quarantined"] as const;

export interface Health {
  /** `idle`: the connector has not run yet; `failing`: the last call failed. */
  readonly status: "idle" | "ok" | "failing";
  readonly last_run_at: string | null;
  /** The error of the last call; null if it succeeded. */
  readonly last_error: string | null;
}
