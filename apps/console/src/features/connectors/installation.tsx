import type { wire } from "../../api/api.ts";
import { useSession } from "../../session/session.ts";
import { EnvironmentBadge } from "../../shared/shared.ts";
import { Badge, useUrlState } from "../../ui/ui.ts";

/** Returns the query of the installation on the page. Live shows its own, because its buttons change only that. */
export function useInstallation(): { readonly environment?: wire.Environment } {
  const { isSandbox } = useSession();
  const [environment] = useUrlState("environment", "");
  if (!isSandbox) return { environment: "live" };
  return environment === "sandbox" ? { environment } : {};
}

/** Returns true in the sandbox for the live installation, which cannot be changed there. */
export function useIsOfLive({ installed_in: environment }: wire.Connector): boolean {
  return useSession().isSandbox && environment === "live";
}

/** Labels the environments that use the installation. */
export function InstallationBadge({ connector }: { readonly connector: wire.Connector }) {
  const { installed_in: environment, acts_in } = connector;
  if (environment !== null && acts_in.length > 0) return <EnvironmentBadge of={{ environment, acts_in }} />;
  return connector.sandbox_only ? <Badge tone="warn">Sandbox only</Badge> : null;
}
