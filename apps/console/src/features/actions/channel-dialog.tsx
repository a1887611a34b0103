import { useState } from "react";
import { useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { fieldError, FormDialog, RadioGroup, Switch, TagInput, TextField, toast } from "../../ui/ui.ts";

const KINDS = [
  { value: "slack", label: "Slack", detail: "Buttons count for members with a linked account" },
  { value: "email", label: "E-mail", detail: "Links to the page, and decides nothing" },
] as const;
type Kind = (typeof KINDS)[number]["value"];

interface Draft {
  readonly kind: Kind;
  readonly name: string;
  readonly slackChannel: string;
  readonly recipients: readonly string[];
  readonly actions: readonly string[];
  readonly after: string;
  readonly every: string;
  readonly decisions: boolean;
  readonly active: boolean;
}

const REFRESHES = { refreshes: ["approval_channels."] };

interface ChannelDialogProps {
  /** The channel to change. Without it, a channel is created. */
  readonly channel?: wire.ApprovalChannel;
  readonly onClose: () => void;
}

export function ChannelDialog({ channel, onClose }: ChannelDialogProps) {
  const [draft, setDraft] = useState<Draft>(channel === undefined ? NEW : draftOf(channel));
  const create = useWrite("approval_channels.create", REFRESHES);
  const update = useWrite("approval_channels.update", REFRESHES);
  const isNew = channel === undefined;
  const { error } = isNew ? create : update;
  const change = (part: Partial<Draft>): void => setDraft({ ...draft, ...part });
  const onSuccess = (): void => {
    toast(isNew ? "Channel created." : "Channel saved.");
    onClose();
  };
  const save = (): void => {
    const body = bodyOf(draft);
    if (isNew) create.mutate({ body: { kind: draft.kind, ...body } }, { onSuccess });
    else update.mutate({ path: { id: channel.id }, body }, { onSuccess });
  };
  return (
    <FormDialog
      title={isNew ? "Create channel" : "Edit channel"}
      onClose={onClose}
      submitLabel={isNew ? "Create channel" : "Save"}
      write={isNew ? create : update}
      judge="service"
      onSubmit={save}
    >
      {isNew ? (
        <RadioGroup label="Kind" options={KINDS} value={draft.kind} onChange={(kind) => change({ kind })} />
      ) : null}
      <TextField
        label="Name"
        isRequired
        value={draft.name}
        onChange={(name) => change({ name })}
        {...fieldError(error, "/name")}
      />
      {draft.kind === "slack" ? (
        <SlackFields draft={draft} change={change} error={error} />
      ) : (
        <TagInput
          label="Recipients"
          description="Anyone who reads these addresses sees the previews."
          values={draft.recipients}
          onChange={(recipients) => change({ recipients })}
          {...fieldError(error, "/recipients")}
        />
      )}
      <TagInput
        label="Actions"
        description="Keys, or prefixes such as billing.*. Without any: all proposals."
        values={draft.actions}
        onChange={(actions) => change({ actions })}
        {...fieldError(error, "/actions")}
      />
      <TextField
        label="Announce after (minutes)"
        description="Proposals that are decided before are not announced: an escalation."
        inputMode="numeric"
        value={draft.after}
        onChange={(after) => change({ after })}
        {...fieldError(error, "/after_minutes")}
      />
      <TextField
        label="Remind every (minutes)"
        isRequired={false}
        inputMode="numeric"
        value={draft.every}
        onChange={(every) => change({ every })}
        {...fieldError(error, "/remind_every_minutes")}
      />
      <Switch isSelected={draft.active} onChange={(active) => change({ active })}>
        The channel is on
      </Switch>
    </FormDialog>
  );
}

interface SlackFieldsProps {
  readonly draft: Draft;
  readonly change: (part: Partial<Draft>) => void;
  readonly error: unknown;
}

function SlackFields({ draft, change, error }: SlackFieldsProps) {
  return (
    <>
      <TextField
        label="Slack channel ID"
        description="From the channel's details in Slack, such as C0123456789. Invite the app to the channel."
        mono
        value={draft.slackChannel}
        onChange={(slackChannel) => change({ slackChannel })}
        {...fieldError(error, "/slack_channel_id")}
      />
      <Switch isSelected={draft.decisions} onChange={(decisions) => change({ decisions })}>
        Messages have buttons that approve and reject
      </Switch>
    </>
  );
}

const NEW: Draft = {
  kind: "slack",
  name: "",
  slackChannel: "",
  recipients: [],
  actions: [],
  after: "0",
  every: "",
  decisions: true,
  active: true,
};

function draftOf(channel: wire.ApprovalChannel): Draft {
  const { kind, name, recipients, decisions, active } = channel;
  return {
    kind: kind === "email" ? "email" : "slack",
    name,
    recipients,
    decisions,
    active,
    slackChannel: channel.slack_channel_id ?? "",
    actions: channel.actions ?? [],
    after: String(channel.after_minutes),
    every: String(channel.remind_every_minutes ?? ""),
  };
}

function bodyOf(draft: Draft) {
  const { kind, name, slackChannel, recipients, actions, after, every, decisions, active } = draft;
  const place =
    kind === "slack" ? { slack_channel_id: slackChannel.trim(), decisions } : { recipients: [...recipients] };
  return {
    name,
    ...place,
    actions: actions.length === 0 ? null : [...actions],
    after_minutes: Number(after),
    remind_every_minutes: every.trim() === "" ? null : Number(every),
    active,
  };
}
