import { usePortal } from "../../session/session.ts";
import { PageHeader } from "../../ui/ui.ts";
import { McpTokensCard } from "./mcp-tokens.tsx";

/** The AI assistants of a tenant, in the portal. */
export function Screen() {
  const portal = usePortal();
  if (portal === undefined) return null;
  return (
    <>
      <PageHeader title="Assistants" />
      <McpTokensCard tenant={portal.tenant} />
    </>
  );
}
