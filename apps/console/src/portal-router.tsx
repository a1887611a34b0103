import { lazy, Suspense } from "react";
import type { ComponentType } from "react";
import { paths } from "./paths.ts";
import { PageFocus, usePathname } from "./portal/portal.ts";
import { EmptyState, Link, Skeleton } from "./ui/ui.ts";

type Load = () => Promise<{ readonly Screen: ComponentType }>;

const loadEndpoints: Load = async () => await import("./features/endpoints/endpoints.tsx");

/** The screens of the portal, most of them the console's under its path; the second of each for one object. */
const SCREENS: Readonly<Record<string, readonly [ComponentType, ComponentType?]>> = {
  [paths.endpoints]: [screen(loadEndpoints), screen(async () => await import("./features/endpoints/endpoint.tsx"))],
  [paths.deliveries]: [
    screen(async () => await import("./features/deliveries/deliveries.tsx")),
    screen(async () => await import("./features/deliveries/delivery.tsx")),
  ],
  [paths.eventTypes]: [
    screen(async () => await import("./features/events/public-types.tsx")),
    screen(async () => await import("./features/events/public-type.tsx")),
  ],
  [paths.assistants]: [screen(async () => await import("./features/tenants/assistants.tsx"))],
};

/** Requests the code of the page that most customers see first, while the session is opened. */
export function loadFirstScreen(): void {
  void loadEndpoints();
}

export function PortalScreen() {
  const pathname = usePathname();
  const [, list = "", id] = pathname.split("/");
  const Screen = SCREENS[`/${list}`]?.[id === undefined ? 0 : 1] ?? Missing;
  return (
    <Suspense fallback={<Skeleton label="Loading the page" lines={8} />}>
      <Screen key={pathname} />
      <PageFocus />
    </Suspense>
  );
}

function screen(load: Load): ComponentType {
  return lazy(async () => ({ default: (await load()).Screen }));
}

function Missing() {
  return (
    <EmptyState
      title="Page not found"
      action={
        <Link to={paths.endpoints} look="primary">
          Show endpoints
        </Link>
      }
    >
      The portal has no such page.
    </EmptyState>
  );
}
