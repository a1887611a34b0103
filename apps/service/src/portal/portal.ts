export type { PortalSessions } from "./sessions.ts";
