import { useNavigate } from "@tanstack/react-router";
import { call, useWrite } from "../../api/api.ts";
import { useAccess } from "../../session/session.ts";
import { DeleteCard, HeadersCard, SecretCard } from "../../shared/shared.ts";
import { Card, CopiedId, KeyValue, RelativeTime, toastError } from "../../ui/ui.ts";
import type { KeyValueRow } from "../../ui/ui.ts";
import type { Automation, AutomationNames } from "./automation-kind.ts";

export interface AutomationSettingsProps {
  readonly names: AutomationNames;
  readonly item: Automation;
  /** The row that says as whom or where it runs. */
  readonly author: KeyValueRow;
  /** True if one of its webhooks has custom headers. */
  readonly hasHeaders: boolean;
  /** Explains what a deletion keeps, and what it ends. */
  readonly deletion: string;
}

/** Shows the facts of a rule or workflow, its secrets, and its deletion. */
export function AutomationSettings(props: AutomationSettingsProps) {
  const { names, item, author, hasHeaders, deletion } = props;
  const { area, noun } = names;
  const access = useAccess();
  const navigate = useNavigate();
  const path = { id: item.id };
  const regenerate = useWrite(`${area}.secret.regenerate`, { refreshes: [`${area}.`] });
  const remove = useWrite(`${area}.delete`, { refreshes: [`${area}.list`] });
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <Card title="Details">
        <KeyValue
          rows={[
            { label: "ID", value: <CopiedId id={item.id} what={noun} /> },
            { label: "Version", value: item.version },
            author,
            { label: "Created", value: <RelativeTime at={item.created_at} /> },
            { label: "Updated", value: <RelativeTime at={item.updated_at} /> },
          ]}
        />
      </Card>
      <SecretCard
        description={`Signs the webhooks of this ${noun}.`}
        mayReveal={access.may(`${area}.secret`)}
        mayRegenerate={access.may(`${area}.secret.regenerate`)}
        reveal={async () => await call(`${area}.secret`, { path })}
        regenerate={async (seconds) =>
          (await regenerate.mutateAsync({ path, body: { overlap_seconds: seconds } })).signing_secret
        }
      />
      {hasHeaders ? (
        <HeadersCard
          mayReveal={access.may(`${area}.headers`)}
          reveal={async () => (await call(`${area}.headers`, { path })).webhooks}
        />
      ) : null}
      <DeleteCard
        what={noun}
        name={item.name}
        description={deletion}
        mayDelete={access.may(`${area}.delete`)}
        isPending={remove.isPending}
        instead="turn it off"
        onDelete={() =>
          remove.mutate(
            { path },
            { onSuccess: () => void navigate({ to: names.list.to, ignoreBlocker: true }), onError: toastError },
          )
        }
      />
    </div>
  );
}
