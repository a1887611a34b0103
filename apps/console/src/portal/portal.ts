export { PortalFrame } from "./frame.tsx";
export { startPortal } from "./state.ts";
