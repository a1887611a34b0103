import { useQuery } from "@tanstack/react-query";
import { read, useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { useAccess, useSession } from "../../session/session.ts";
import { Button, Card, ConfirmButton, KeyValue, toast, toastError, useUrlState } from "../../ui/ui.ts";
import { ConnectorLight, HealthLight } from "./connector-states.tsx";
import { useIsOfLive } from "./installation.tsx";
import { PromoteConnector } from "./promote-connector.tsx";

const REFRESHES = ["connectors.", "action_contracts."];

interface ConnectorProps {
  readonly connector: wire.Connector;
}

/** Shows the installation of the sandbox next to the live one, and what a person can do about it. */
export function SandboxCard({ connector }: ConnectorProps) {
  const { isSandbox } = useSession();
  const isOfLive = useIsOfLive(connector);
  if (!isSandbox) return <InSandbox connector={connector} />;
  if (isOfLive) return <LiveInstallation connector={connector} />;
  return connector.installed_in === "sandbox" ? <OwnInstallation connector={connector} /> : null;
}

/** In live: the version that the sandbox runs, which can be promoted. */
function InSandbox({ connector: { key } }: ConnectorProps) {
  const query = useQuery(read("connectors.get", { path: { key }, query: { environment: "sandbox" } }));
  const sandbox = query.data;
  if (sandbox === undefined || sandbox.installed_in !== "sandbox") return null;
  return (
    <Card
      title="In the sandbox"
      description="The sandbox has its own version and settings of this connector. Switch to the sandbox to change them."
      actions={<PromoteConnector sandbox={sandbox} />}
    >
      <KeyValue
        rows={[
          { label: "State in the sandbox", value: <ConnectorLight state={sandbox.state} /> },
          { label: "Version in the sandbox", value: sandbox.version ?? "" },
          { label: "Health in the sandbox", value: <HealthLight status={sandbox.health.status} /> },
        ]}
      />
    </Card>
  );
}

/** In the sandbox: its own installation, which can be removed. */
function OwnInstallation({ connector: { key } }: ConnectorProps) {
  const [, setEnvironment] = useUrlState("environment", "");
  const access = useAccess();
  const remove = useWrite("connectors.sandbox.delete", { refreshes: REFRESHES });
  const removed = (): void => {
    setEnvironment("");
    toast("Connector removed from the sandbox.");
  };
  return (
    <Card
      title="Sandbox installation"
      description="This version and these settings are used only in the sandbox. Promote the version to live from the live environment."
    >
      <ConfirmButton
        label="Remove from the sandbox"
        isDisabled={!access.may("connectors.sandbox.delete")}
        confirmLabel="Remove connector"
        isPending={remove.isPending}
        onConfirm={(close) =>
          remove.mutate({ path: { key } }, { onSuccess: removed, onError: toastError, onSettled: close })
        }
      >
        <p>
          The sandbox's settings and secrets of this connector will be deleted. If the connector runs in live, the
          sandbox uses the live version again.
        </p>
      </ConfirmButton>
    </Card>
  );
}

/** In the sandbox: the live installation, which it uses until it has its own. */
function LiveInstallation({ connector: { version } }: ConnectorProps) {
  const [, setEnvironment] = useUrlState("environment", "");
  return (
    <Card
      title="Live installation"
      description={`The sandbox uses version ${version ?? ""} of live, with its settings. Set up a version for the sandbox alone to develop it without changes to live.`}
    >
      <Button onPress={() => setEnvironment("sandbox")}>Set up for the sandbox</Button>
    </Card>
  );
}
