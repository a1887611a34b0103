import { useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { useAccess } from "../../session/session.ts";
import { useStepUp } from "../../shared/shared.ts";
import { Card, Link, PageHeader, SecretText, ShowAs, UnsavedWarning, useDraft } from "../../ui/ui.ts";
import { contractOf, newContractDraft } from "./contract-draft.ts";
import { ContractEditor } from "./contract-editor.tsx";

/** `/actions/new`, which no action can be called: a key has a dot. */
export function NewAction() {
  const draft = useDraft(newContractDraft);
  const access = useAccess();
  const create = useWrite("action_contracts.create", { refreshes: ["action_contracts."] });
  const stepUp = useStepUp();
  if (create.data !== undefined) return <NewActionSecret contract={create.data} />;
  const { body } = contractOf(draft.value);
  const save = (): void =>
    create.mutate({ body }, { onError: stepUp.orProve({ operation: "action_contracts.create", body }, save) });
  return (
    <>
      <PageHeader
        title="Register action"
        back={{ to: paths.actions, label: "Actions" }}
        actions={<ShowAs operation="action_contracts.create" input={{ body }} />}
      />
      <ContractEditor
        draft={draft.value}
        onChange={draft.change}
        onSave={save}
        onReset={create.reset}
        isNew
        isPending={create.isPending}
        maySave={access.may("action_contracts.create")}
        error={create.error}
      />
      {stepUp.dialog}
      <UnsavedWarning isUnsaved={draft.isUnsaved} />
    </>
  );
}

function NewActionSecret({ contract }: { readonly contract: wire.ActionContractWithSecret }) {
  return (
    <>
      <PageHeader title="Action registered" back={{ to: paths.actions, label: "Actions" }} />
      <Card
        title="Signing secret"
        description="Signs the calls to the backend. Later, only an owner can view it."
        stacked
      >
        <SecretText label="Signing secret" secret={contract.signing_secret} />
        <div>
          <Link to={paths.action(contract.key)} look="primary">
            Open action
          </Link>
        </div>
      </Card>
    </>
  );
}
