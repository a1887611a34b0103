import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call, read, useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { useAccess } from "../../session/session.ts";
import { ReplayDialog } from "../../shared/shared.ts";
import {
  Button,
  ConfirmDialog,
  ErrorNote,
  FormDialog,
  Menu,
  Select,
  Skeleton,
  toastError,
  toastOutcome,
  toastSuccess,
} from "../../ui/ui.ts";

const DAY_MS = 86_400_000;
const REPLAYED: readonly wire.Issue["kind"][] = ["delivery", "transform"];

/** Acknowledges, ignores, assigns and resolves an issue, and replays what failed. */
export function IssueActions({ issue }: { readonly issue: wire.IssueDetail }) {
  const { may } = useAccess();
  const [isAssigning, setAssigning] = useState(false);
  const [isReplaying, setReplaying] = useState(false);
  const change = useWrite("issues.update", { refreshes: ["issues.", "attention."] });
  const path = { id: issue.id };
  const set = (body: wire.IssueChange, message: string) => (): void =>
    change.mutate({ path, body }, toastOutcome(message));
  const mayChange = may("issues.update");
  const isEnded = issue.state === "resolved";
  return (
    <>
      {REPLAYED.includes(issue.kind) ? (
        <Button isDisabled={!may("issues.replay") || issue.object_name === null} onPress={() => setReplaying(true)}>
          Replay failed deliveries
        </Button>
      ) : null}
      <Menu
        label="Change issue"
        trigger={<Button>Change</Button>}
        actions={[
          {
            id: "acknowledge",
            label: "Acknowledge",
            isDisabled: !mayChange || isEnded || issue.state === "acknowledged",
            onAction: set({ state: "acknowledged" }, "Issue acknowledged"),
          },
          {
            id: "open",
            label: "Open again",
            isDisabled: !mayChange || isEnded || issue.state === "open",
            onAction: set({ state: "open" }, "Issue opened"),
          },
          {
            id: "ignore-day",
            label: "Ignore for a day",
            isDisabled: !mayChange || isEnded,
            onAction: () => set({ state: "ignored", ignored_until: tomorrow() }, "Issue ignored")(),
          },
          {
            id: "ignore",
            label: "Ignore until I change it",
            isDisabled: !mayChange || isEnded,
            onAction: set({ state: "ignored", ignored_until: null }, "Issue ignored"),
          },
          { id: "assign", label: "Set owner", isDisabled: !mayChange, onAction: () => setAssigning(true) },
          {
            id: "resolve",
            label: "Resolve",
            isDisabled: !mayChange || isEnded,
            onAction: set({ state: "resolved" }, "Issue resolved"),
          },
        ]}
      />
      {isAssigning ? <OwnerDialog issue={issue} onClose={() => setAssigning(false)} /> : null}
      {isReplaying ? <Replay id={issue.id} onClose={() => setReplaying(false)} /> : null}
    </>
  );
}

function tomorrow(): string {
  return new Date(Date.now() + DAY_MS).toISOString();
}

interface DialogProps {
  readonly onClose: () => void;
}

function OwnerDialog({ issue, onClose }: DialogProps & { readonly issue: wire.IssueDetail }) {
  const [owner, setOwner] = useState(issue.owner ?? "");
  const members = useQuery(read("members.list", { query: { limit: 100 } }));
  const change = useWrite("issues.update", { refreshes: ["issues."] });
  const save = (): void =>
    change.mutate(
      { path: { id: issue.id }, body: { owner: owner === "" ? null : owner } },
      toastSuccess("Owner set", onClose),
    );
  return (
    <FormDialog title="Set owner" size="sm" submitLabel="Set owner" write={change} onClose={onClose} onSubmit={save}>
      {members.isPending ? <Skeleton label="Loading the members" lines={1} /> : null}
      {members.isError ? <ErrorNote error={members.error} /> : null}
      {members.data === undefined ? null : (
        <Select
          label="Owner"
          value={owner}
          onChange={setOwner}
          options={[
            { value: "", label: "None" },
            ...members.data.data.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
      )}
    </FormDialog>
  );
}

/** Counts first, then replays, and shows how far it is. */
function Replay({ id, onClose }: DialogProps & { readonly id: string }) {
  const [jobId, setJobId] = useState<string | null>(null);
  const path = { id };
  const tally = useQuery({
    queryKey: ["issues.replay.tally", id],
    queryFn: async () => await call("issues.replay", { path, body: { dry_run: true } }),
    gcTime: 0,
  });
  const start = useWrite("issues.replay", { refreshes: ["replays.", "deliveries."] });
  if (jobId !== null) return <ReplayDialog wish={null} jobId={jobId} onStarted={setJobId} onClose={onClose} />;
  const count = tally.data?.count ?? 0;
  return (
    <ConfirmDialog
      title="Replay failed deliveries?"
      isOpen
      onClose={onClose}
      confirmLabel={count === 0 ? "Replay" : `Replay ${count}`}
      isPending={start.isPending || tally.isPending}
      onConfirm={() =>
        start.mutate(
          { path, body: {} },
          { onSuccess: (made) => setJobId((made as wire.IssueReplayJob).job_id), onError: toastError },
        )
      }
    >
      {tally.isError ? <ErrorNote error={tally.error} /> : null}
      <p>Deliveries that failed since the issue began are sent again, and retries that wait are made now.</p>
    </ConfirmDialog>
  );
}
