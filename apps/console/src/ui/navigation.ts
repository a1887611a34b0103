import { createContext, use } from "react";
import type { ComponentType, ReactNode } from "react";

/** A link to a page, which may be told apart from others by its look alone. */
export interface AnchorProps {
  /** A path with its query. */
  readonly to: string;
  readonly children: ReactNode;
  readonly className?: string;
  readonly "aria-label"?: string;
  readonly "aria-current"?: "page";
  readonly onClick?: () => void;
}

export interface Place {
  /** A path; "." stays on the page. */
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
  /** Back skips the place before. */
  readonly replace?: boolean;
}

/** `isBlocked`: the user wants to leave a page with unsaved changes, and has not yet decided. */
export interface Leaving {
  readonly isBlocked: boolean;
  stay(): void;
  leave(): void;
}

/** What screens need of a router. The console has a whole one, and the portal one of its own, which is a tenth of it to load. */
export interface Navigation {
  readonly Anchor: ComponentType<AnchorProps>;
  /** Returns the query of the page's address. */
  useSearchText(): string;
  /** Returns a parameter of the route's path: `/deliveries/$id`. */
  usePathParameter(name: string): string;
  useNavigate(): (place: Place) => void;
  /** Stops the user from leaving a page with unsaved changes by a link, by Back, or by closing the tab. */
  useLeaving(isUnsaved: boolean): Leaving;
}

export const NavigationContext = createContext<Navigation | null>(null);

export function useNavigation(): Navigation {
  const navigation = use(NavigationContext);
  if (navigation === null) throw new Error("useNavigation needs a NavigationContext above it");
  return navigation;
}

/** Returns a function that opens another page. */
export function useNavigate(): (place: Place) => void {
  return useNavigation().useNavigate();
}
