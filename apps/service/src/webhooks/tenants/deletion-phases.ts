/** The phases of the deletion of a tenant, in order. Objects that make new rows are removed first. */
export const PHASES = ["keys", "endpoints", "sources", "scheduled_events", "deliveries", "receipts", "events"] as const;
export type Phase = (typeof PHASES)[number];
