export { PortalFrame } from "./frame.tsx";
export { startPortal, usePortalState } from "./state.ts";
export type { PortalState } from "./state.ts";
