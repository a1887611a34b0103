import { useQuery } from "@tanstack/react-query";
import { Upload } from "lucide-react";
import { useState } from "react";
import { FileTrigger } from "react-aria-components";
import { ApiProblem, parseExact, read, useWrite } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { paths } from "../../../paths.ts";
import { useAccess, useSession } from "../../../session/session.ts";
import { Button, Card, ConfirmButton, ErrorNote, Link, Skeleton, Switch, toast } from "../../../ui/ui.ts";
import { Difference, isEmpty } from "./difference.tsx";

interface ChosenFile {
  readonly name: string;
  readonly configuration: wire.Configuration;
}

/** The service accepts this many bytes. */
const MOST_BYTES = 4 * 1024 * 1024;
/** The operations whose responses an application can change. */
const CHANGED = [
  "configuration.",
  "workspaces.",
  "event_types.",
  "inboxes.",
  "action_contracts.",
  "workflows.",
  "rules.",
  "inbound_endpoints.",
  "webhook_endpoints.",
  "approval_channels.",
  "proposals.",
];

/** Shows what a file would change, and makes these changes, or requests their approval where the workspace requires one. */
export function CompareCard() {
  const access = useAccess();
  const plan = useWrite("configuration.plan", { exact: true });
  const drift = useWrite("configuration.drift", { exact: true });
  const apply = useWrite("configuration.apply", { refreshes: CHANGED });
  const [file, setFile] = useState<ChosenFile>();
  const [prune, setPrune] = useState(false);
  const comparison = access.may("configuration.plan") ? plan : drift;
  const compare = (chosen: ChosenFile, prunes: boolean): void => {
    apply.reset();
    setFile(chosen);
    setPrune(prunes);
    comparison.mutate({ body: { configuration: chosen.configuration, prune: prunes } });
  };
  const { isPending, error } = comparison;
  const changes = isPending || apply.data !== undefined ? undefined : comparison.data;
  return (
    <Card
      title="Compare and apply"
      description="Choose a file to see what it would change. Nothing is changed before you confirm it."
      stacked
    >
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <FileTrigger
          acceptedFileTypes={["application/json"]}
          onSelect={(files) => {
            const chosen = files?.item(0) ?? null;
            if (chosen === null) return;
            void configurationIn(chosen).then(
              (one) => compare(one, prune),
              (refusal: Error) => toast(refusal.message),
            );
          }}
        >
          <Button icon={<Upload aria-hidden size={15} />} isDisabled={isPending || apply.isPending}>
            Choose file
          </Button>
        </FileTrigger>
        <Switch
          isSelected={prune}
          onChange={(prunes) => (file === undefined ? setPrune(prunes) : compare(file, prunes))}
        >
          Delete what a section of the file lacks
        </Switch>
      </div>
      {file === undefined ? null : (
        <p className="text-sm wrap-anywhere text-muted">
          <bdi>{file.name}</bdi>
        </p>
      )}
      {isPending ? <Skeleton label="Loading the changes" lines={4} /> : null}
      {isPending || error === null ? null : <Refusal error={error} />}
      {changes === undefined ? null : <Difference changes={changes} />}
      {apply.error === null ? null : <Refusal error={apply.error} />}
      {changes === undefined || !("id" in changes) || isEmpty(changes) ? null : (
        <ApplyButton isPending={apply.isPending} onConfirm={() => apply.mutate({ path: { id: changes.id } })} />
      )}
      {apply.data === undefined ? null : <Applied answer={apply.data} />}
    </Card>
  );
}

async function configurationIn(file: File): Promise<ChosenFile> {
  if (file.size > MOST_BYTES) throw new Error("The file is larger than 4 MiB.");
  try {
    return { name: file.name, configuration: parseExact(await file.text()) as wire.Configuration };
  } catch {
    throw new Error("The file contains no JSON.");
  }
}

function ApplyButton({ isPending, onConfirm }: { readonly isPending: boolean; readonly onConfirm: () => void }) {
  const { environment } = useSession();
  const access = useAccess();
  const workspace = useQuery(read("workspaces.get"));
  const waits = environment === "live" && workspace.data?.settings.require_approval_for_configuration === true;
  return (
    <div>
      <ConfirmButton
        variant="primary"
        label={waits ? "Request approval" : "Apply configuration"}
        isDisabled={!access.may("configuration.apply")}
        isPending={isPending}
        onConfirm={(close) => {
          onConfirm();
          close();
        }}
      >
        {waits ? (
          <p>The changes are made once another person has approved them, exactly as they are shown.</p>
        ) : (
          <p>All changes are made at once in the {environment} environment, or none.</p>
        )}
      </ConfirmButton>
    </div>
  );
}

/** Says what has become of an application. */
function Applied({ answer }: { readonly answer: wire.ConfigurationApplication | wire.Proposal }) {
  return (
    <p role="status">
      {answer.object === "proposal" ? (
        <>
          The changes wait for another person. <Link to={paths.approval(answer.id)}>View the proposal</Link>
        </>
      ) : (
        "The configuration was applied."
      )}
    </p>
  );
}

/** Shows a refusal with each place of the file that it names. */
function Refusal({ error }: { readonly error: Error }) {
  const fields = error instanceof ApiProblem ? error.fields : [];
  return (
    <>
      <ErrorNote error={error} />
      {fields.length === 0 ? null : (
        <ul aria-label="Places that are refused" className="flex flex-col gap-1 text-sm">
          {fields.map(({ pointer, code, message }, at) => (
            <li key={`${at} ${pointer} ${code}`} className="wrap-anywhere">
              <code>{pointer.replace(/^\/configuration/, "")}</code> {message}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
