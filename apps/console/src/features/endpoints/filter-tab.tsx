import { useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { useAccess } from "../../session/session.ts";
import { below, ConditionFields, problemAt, problemsOf } from "../../shared/shared.ts";
import type { Offer, ProblemAt } from "../../shared/shared.ts";
import { Button, RadioGroup, Segmented, TextField, toastSuccess } from "../../ui/ui.ts";
import type { Draft } from "../../ui/ui.ts";
import { MemberCard, useMemberUpdate } from "./member-card.tsx";
import { filterOf, inMode } from "./filter-draft.ts";
import type { FilterDraft } from "./filter-draft.ts";
import { FilterPreview } from "./filter-preview.tsx";

const OFFERS: readonly Offer[] = [{ path: "$.event", example: "" }];
const MODES = [
  { value: "fields", label: "Fields" },
  { value: "json", label: "JSON" },
] as const;

interface FilterTabProps {
  readonly endpoint: wire.WebhookEndpoint;
  /** It outlives the tab, so that another tab does not lose it. */
  readonly draft: Draft<FilterDraft>;
}

/** Edits the filter of an endpoint, and shows which of the last events it takes. */
export function FilterTab({ endpoint, draft: { value: draft, change: setDraft, keep } }: FilterTabProps) {
  const { filter, faults } = filterOf(draft);
  const access = useAccess();
  const update = useMemberUpdate();
  const preview = useWrite("webhook_endpoints.filter.preview");
  const path = { id: endpoint.id };
  const failed = update.error ?? preview.error;
  const isFaulty = faults.length > 0;
  const change = (next: FilterDraft): void => {
    setDraft(next);
    preview.reset();
    update.reset();
  };
  const save = (): void =>
    update.mutate(
      { path, body: { filter } },
      toastSuccess("Filter saved. It applies to new events.", () => keep(draft)),
    );
  return (
    <div className="flex max-w-3xl flex-col gap-4">
      <MemberCard
        title="Filter"
        description="Selects among the events that the endpoint subscribes to, by their data. A change applies to new events."
        noun="filter"
        path={path}
        body={{ filter }}
        pointer="/filter"
        isFaulty={isFaulty}
        error={failed}
        isPending={update.isPending}
        onSave={save}
        actions={
          <Button
            isDisabled={isFaulty || !access.may("webhook_endpoints.filter.preview")}
            isPending={preview.isPending}
            onPress={() => preview.mutate({ path, body: { filter } })}
          >
            Preview
          </Button>
        }
      >
        <FilterFields draft={draft} onChange={change} problems={problemAt(problemsOf(faults, failed))} />
      </MemberCard>
      {preview.data === undefined ? null : <FilterPreview result={preview.data} />}
    </div>
  );
}

interface FilterFieldsProps {
  readonly draft: FilterDraft;
  readonly onChange: (draft: FilterDraft) => void;
  readonly problems: ProblemAt;
}

function FilterFields({ draft, onChange, problems }: FilterFieldsProps) {
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <RadioGroup
        label="Events"
        value={draft.takes}
        onChange={(takes) => onChange({ ...draft, takes })}
        options={[
          { value: "all", label: "Every event of the selected event types" },
          { value: "some", label: "Only events that meet a condition" },
        ]}
      />
      {draft.takes === "all" ? null : (
        <>
          <div className="flex">
            <Segmented
              label="Edit as"
              options={MODES}
              value={draft.mode}
              onChange={(mode) => onChange(inMode(draft, mode))}
            />
          </div>
          {draft.mode === "json" ? (
            <TextField
              label="Filter as JSON"
              description={'Such as {"all": [{"field": "data.total", "op": "gte", "value": 100}]}.'}
              mono
              lines={12}
              spellCheck="false"
              value={draft.json}
              onChange={(json) => onChange({ ...draft, json })}
              error={problems("/filter")}
            />
          ) : (
            <ConditionFields
              label="Filter"
              empty="Without conditions, every event passes."
              draft={draft.fields}
              onChange={(fields) => onChange({ ...draft, fields })}
              problems={below(problems, "/filter")}
              offers={OFFERS}
            />
          )}
        </>
      )}
    </div>
  );
}
