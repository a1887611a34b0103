import { lazy, Suspense } from "react";
import type { ComponentType, ReactNode } from "react";

/** Returns a component whose code is loaded when it is first shown. `fallback` is in its place until then. */
export function deferred<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  fallback: ReactNode = null,
): ComponentType<Props> {
  const Part = lazy(async () => ({ default: await load() })) as ComponentType<Props>;
  return function Deferred(props: Props) {
    return (
      <Suspense fallback={fallback}>
        <Part {...props} />
      </Suspense>
    );
  };
}
