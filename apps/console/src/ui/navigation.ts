import { createContext, use } from "react";
import type { ComponentType, ReactNode } from "react";

export interface AnchorProps {
  /** A path with its query. */
  readonly to: string;
  readonly children: ReactNode;
  readonly className?: string;
  readonly "aria-label"?: string;
  readonly "aria-current"?: "page";
  readonly onClick?: () => void;
}

export interface Target {
  /** A path; "." stays on the page. */
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
  /** Back skips the page before. */
  readonly replace?: boolean;
}

export interface Leaving {
  /** The user wants to leave a page with unsaved changes, and has not yet decided. */
  readonly isBlocked: boolean;
  stay(): void;
  leave(): void;
}

export interface LeavingGuardProps {
  readonly isUnsaved: boolean;
  /** The changes are lost with the tab of the page too. */
  readonly isInTab?: boolean;
  readonly children: (leaving: Leaving) => ReactNode;
}

/** The parts of a router that screens need. The console has a whole one, and the portal a tenth of one, which its customers load faster. */
export interface Navigation {
  readonly Anchor: ComponentType<AnchorProps>;
  /** Stops the user from leaving a page with unsaved changes by a link, by Back, or by closing the tab. */
  readonly LeavingGuard: ComponentType<LeavingGuardProps>;
  navigate(target: Target): void;
}

/** The page's address. */
export interface Place {
  /** The query, with or without "?". */
  readonly searchText: string;
  /** The parameters of the route's path: `id` of `/deliveries/$id`. */
  readonly parameters: Readonly<Record<string, string>>;
}

export const NavigationContext = createContext<Navigation | null>(null);
export const PlaceContext = createContext<Place>({ searchText: "", parameters: {} });

export function useNavigation(): Navigation {
  const navigation = use(NavigationContext);
  if (navigation === null) throw new Error("useNavigation needs a NavigationContext above it");
  return navigation;
}

/** Returns a function that opens another page. */
export function useNavigate(): (target: Target) => void {
  return useNavigation().navigate;
}

export function usePlace(): Place {
  return use(PlaceContext);
}
