export type { Capability } from "./capabilities.ts";
export type { PortalSessions } from "./sessions.ts";
