export { PageFocus, PortalFrame } from "./frame.tsx";
export { portalNavigation, PortalPlace, usePathname } from "./navigation.tsx";
export { startPortal } from "./state.ts";
