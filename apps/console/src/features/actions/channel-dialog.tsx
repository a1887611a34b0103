import { useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { FormDialog, RadioGroup, Switch, TagInput, TextField, toast, trimmed, useWireForm } from "../../ui/ui.ts";
import type { WireFields } from "../../ui/ui.ts";

const KINDS = [
  { value: "slack", label: "Slack", detail: "Buttons count for members with a linked account" },
  { value: "email", label: "E-mail", detail: "Links to the page, and decides nothing" },
] as const;
/** The members of a channel that have fields. */
type Channel = Pick<wire.ApprovalChannel, Exclude<keyof wire.NewApprovalChannel, "risks">>;

const REFRESHES = { refreshes: ["approval_channels."] };

interface ChannelDialogProps {
  /** The channel to change. Without it, a channel is created. */
  readonly channel?: wire.ApprovalChannel;
  readonly onClose: () => void;
}

export function ChannelDialog({ channel, onClose }: ChannelDialogProps) {
  const create = useWrite("approval_channels.create", REFRESHES);
  const update = useWrite("approval_channels.update", REFRESHES);
  const isNew = channel === undefined;
  const { error } = isNew ? create : update;
  const fields = useWireForm(channel ?? NEW, error);
  const { kind } = fields.value;
  const onSuccess = (): void => {
    toast(isNew ? "Channel created." : "Channel saved.");
    onClose();
  };
  const save = (): void => {
    const body = bodyOf(fields.value);
    if (isNew) create.mutate({ body: { kind, ...body } }, { onSuccess });
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
      {isNew ? <RadioGroup label="Kind" options={KINDS} {...fields.choice("/kind")} /> : null}
      <TextField label="Name" isRequired {...fields.text("/name")} />
      {kind === "slack" ? (
        <SlackFields fields={fields} />
      ) : (
        <TagInput
          label="Recipients"
          description="Anyone who reads these addresses sees the previews."
          {...fields.tags("/recipients")}
        />
      )}
      <TagInput
        label="Actions"
        description="Keys, or prefixes such as billing.*. Without any: all proposals."
        {...fields.tags("/actions")}
      />
      <TextField
        label="Announce after (minutes)"
        description="Proposals that are decided before are not announced: an escalation."
        {...fields.whole("/after_minutes")}
      />
      <TextField label="Remind every (minutes)" isRequired={false} {...fields.whole("/remind_every_minutes", null)} />
      <Switch {...fields.flag("/active")}>The channel is on</Switch>
    </FormDialog>
  );
}

function SlackFields({ fields }: { readonly fields: WireFields<Channel> }) {
  return (
    <>
      <TextField
        label="Slack channel ID"
        description="From the channel's details in Slack, such as C0123456789. Invite the app to the channel."
        mono
        {...fields.text("/slack_channel_id", null)}
      />
      <Switch {...fields.flag("/decisions")}>Messages have buttons that approve and reject</Switch>
    </>
  );
}

const NEW: Channel = {
  kind: "slack",
  name: "",
  slack_channel_id: null,
  recipients: [],
  actions: null,
  after_minutes: 0,
  remind_every_minutes: null,
  decisions: true,
  active: true,
};

function bodyOf(channel: Channel): Omit<wire.NewApprovalChannel, "kind"> {
  const { name, actions, after_minutes, remind_every_minutes, active } = channel;
  const { slack_channel_id, recipients, decisions } = trimmed(channel, ["/slack_channel_id"]);
  return {
    name,
    ...(channel.kind === "slack" ? { slack_channel_id, decisions } : { recipients }),
    actions: actions?.length === 0 ? null : actions,
    after_minutes,
    remind_every_minutes,
    active,
  };
}
