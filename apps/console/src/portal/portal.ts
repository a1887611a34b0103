export { PageFocus, PortalFrame } from "./frame.tsx";
export { portalNavigation, usePathname } from "./navigation.tsx";
export { startPortal } from "./state.ts";
