/** What the deletion of a tenant removes, in this order: what makes new rows comes first. */
export const PHASES = ["keys", "endpoints", "sources", "scheduled_events", "deliveries", "receipts", "events"] as const;
export type Phase = (typeof PHASES)[number];
