import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { call, read, useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { useAccess } from "../../session/session.ts";
import { DeleteCard, EnvironmentBadge, PromoteButton, SecretCard, useStepUp } from "../../shared/shared.ts";
import {
  Button,
  Card,
  Link,
  PageHeader,
  ResourcePage,
  ShowAs,
  Tabs,
  toast,
  toastError,
  UnsavedWarning,
  useDraft,
  usePathParameter,
  useUrlState,
} from "../../ui/ui.ts";
import { AskDialog } from "./ask-dialog.tsx";
import { changeOf, draftOfContract } from "./contract-draft.ts";
import { ContractEditor } from "./contract-editor.tsx";
import { ContractFacts } from "./contract-facts.tsx";
import { NewAction } from "./new-action.tsx";
import { RiskBadge } from "./preview-card.tsx";

const REFRESHES = ["action_contracts."];

/** Shows one contract: its facts, a form that requests its action, and one that changes it. */
export function Screen() {
  return usePathParameter("key") === "new" ? <NewAction /> : <OneAction />;
}

function OneAction() {
  const [environment] = useUrlState("environment", "");
  const query = environment === "live" || environment === "sandbox" ? { environment } : {};
  return (
    <ResourcePage
      parameter="key"
      read={(key) => read("action_contracts.get", { path: { key }, query })}
      heading="Action"
    >
      {(contract) => <Contract key={contract.id} contract={contract} />}
    </ResourcePage>
  );
}

interface ContractProps {
  readonly contract: wire.ActionContract;
}

function Contract({ contract }: ContractProps) {
  const [isAsking, setAsking] = useState(false);
  const access = useAccess();
  const mayAsk = contract.roles.includes(access.role) && contract.surface.includes("console");
  return (
    <>
      <PageHeader
        title={contract.label}
        back={{ to: paths.actions, label: "Actions" }}
        status={
          <>
            <RiskBadge risk={contract.risk} />
            <EnvironmentBadge of={contract} />
          </>
        }
        description={contract.description === "" ? contract.key : contract.description}
        actions={
          <>
            <ShowAs operation="actions.run" input={{ body: { action: contract.key, parameters: {} } }} />
            <Promote contract={contract} />
            <Link to={`${paths.runs}?action=${encodeURIComponent(contract.key)}`}>View runs</Link>
            <Button variant="primary" isDisabled={!mayAsk} onPress={() => setAsking(true)}>
              Request action
            </Button>
          </>
        }
      />
      {mayAsk ? null : (
        <p className="pb-3 text-sm text-muted">
          {contract.surface.includes("console")
            ? `Your role (${access.role}) can't request this action. Allowed roles: ${contract.roles.join(", ")}.`
            : `This action can't be requested in the console. Allowed surfaces: ${contract.surface.join(", ")}.`}
        </p>
      )}
      <ContractTabs contract={contract} />
      {isAsking ? <AskDialog contract={contract} onClose={() => setAsking(false)} /> : null}
    </>
  );
}

function Promote({ contract }: ContractProps) {
  const access = useAccess();
  const promote = useWrite("action_contracts.promote", { refreshes: REFRESHES });
  return (
    <PromoteButton
      noun="action"
      of={contract}
      mayPromote={access.may("action_contracts.promote") && contract.connector_key === null}
      promote={async (body) => await promote.mutateAsync({ path: { key: contract.key }, body })}
      guarded={{ operation: "action_contracts.promote", id: contract.key }}
    />
  );
}

/** Keeps the draft above the tabs, so that switching tabs loses nothing. */
function ContractTabs({ contract }: ContractProps) {
  const [tab, setTab] = useUrlState("tab", "overview");
  const draft = useDraft(() => draftOfContract(contract));
  const access = useAccess();
  const update = useWrite("action_contracts.update", { refreshes: REFRESHES });
  const stepUp = useStepUp();
  const saved = (): void => {
    draft.keep(draft.value);
    toast("Action saved. The change applies from the next call.");
  };
  const save = (): void => {
    const body = changeOf(contract, draft.value);
    if (Object.keys(body).length === 0) saved();
    else {
      const change = { operation: "action_contracts.update", id: contract.key, body } as const;
      update.mutate({ path: { key: contract.key }, body }, { onSuccess: saved, onError: stepUp.orProve(change, save) });
    }
  };
  const editor = (
    <>
      <ContractEditor
        draft={draft.value}
        onChange={draft.change}
        onSave={save}
        onReset={update.reset}
        isNew={false}
        isPending={update.isPending}
        maySave={access.may("action_contracts.update")}
        error={update.error}
      />
      {stepUp.dialog}
    </>
  );
  return (
    <>
      <Tabs
        label="Action"
        selected={tab}
        onSelect={setTab}
        tabs={[
          { id: "overview", label: "Overview", content: <ContractFacts contract={contract} /> },
          {
            id: "definition",
            label: "Definition",
            content:
              contract.connector_key === null ? editor : <ManagedByConnector connectorKey={contract.connector_key} />,
          },
          { id: "settings", label: "Settings", content: <Settings contract={contract} /> },
        ]}
      />
      <UnsavedWarning isUnsaved={draft.isUnsaved} />
    </>
  );
}

function ManagedByConnector({ connectorKey }: { readonly connectorKey: string }) {
  return (
    <Card title="Managed by a connector">
      <p>
        <Link to={paths.connector(connectorKey)}>{connectorKey}</Link> provides this action. Another version of the
        connector can change it, and disabling the connector removes it.
      </p>
    </Card>
  );
}

function Settings({ contract }: ContractProps) {
  const access = useAccess();
  const navigate = useNavigate();
  const path = { key: contract.key };
  const regenerate = useWrite("action_contracts.secret.regenerate", { refreshes: REFRESHES });
  const remove = useWrite("action_contracts.delete", { refreshes: ["action_contracts.list"] });
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <SecretCard
        description="Signs the calls to the backend."
        mayReveal={access.may("action_contracts.secret")}
        mayRegenerate={access.may("action_contracts.secret.regenerate")}
        reveal={async () => {
          const { signing_secret: secret, ...before } = await call("action_contracts.secret", { path });
          return { secret, ...before };
        }}
        regenerate={async (seconds) =>
          (await regenerate.mutateAsync({ path, body: { overlap_seconds: seconds } })).signing_secret
        }
      />
      {contract.connector_key === null ? (
        <DeleteCard
          what="action"
          name={contract.label}
          description="The action can no longer be requested. Its runs are kept."
          mayDelete={access.may("action_contracts.delete")}
          isPending={remove.isPending}
          onDelete={() =>
            remove.mutate(
              { path },
              { onSuccess: () => void navigate({ to: paths.actions, ignoreBlocker: true }), onError: toastError },
            )
          }
        />
      ) : null}
    </div>
  );
}
