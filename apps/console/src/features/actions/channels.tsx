import { BellRing } from "lucide-react";
import { useState } from "react";
import { useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { useAccess } from "../../session/session.ts";
import {
  Button,
  labelOf,
  ResourceList,
  StatusLight,
  toast,
  toastError,
  toastOutcome,
  useCreating,
} from "../../ui/ui.ts";
import type { TableColumn } from "../../ui/ui.ts";
import { ChannelDialog } from "./channel-dialog.tsx";
import { SlackAppCard } from "./slack-app-card.tsx";

/** Lists where proposals are announced besides the console, and sets the Slack app that announces them. */
/** The same list with the dialog that creates one. */
export function NewScreen() {
  return <Screen isNew />;
}

export function Screen({ isNew = false }: { readonly isNew?: boolean }) {
  const { button, dialog } = useCreating({
    isNew,
    list: paths.approvalChannels,
    operation: "approval_channels.create",
    label: "Create channel",
    dialog: (onClose) => <ChannelDialog onClose={onClose} />,
  });
  const access = useAccess();
  return (
    <>
      <ResourceList
        operation="approval_channels.list"
        title="Approval channels"
        description="Where proposals are announced: in Slack, with buttons that count for members with a linked account, or by e-mail, which only links to the page."
        actions={button}
        notice={access.may("slack_app.get") ? <SlackAppCard /> : null}
        noun="channels"
        icon={BellRing}
        emptyAction={button}
        hint="Approvers get an e-mail of their own without a channel. A channel reaches a team, reminds it, or tells a second one after a time."
        label="Channels"
        columns={COLUMNS}
      />
      {dialog}
    </>
  );
}

const COLUMNS: readonly TableColumn<wire.ApprovalChannel>[] = [
  {
    header: "Channel",
    cell: (channel) => (
      <span className="flex min-w-0 flex-col">
        <bdi className="font-medium wrap-anywhere">{channel.name}</bdi>
        <span className="text-xs break-all text-muted">
          {labelOf(channel.kind)} {channel.slack_channel_id ?? channel.recipients.join(", ")}
        </span>
      </span>
    ),
  },
  {
    header: "State",
    from: "sm",
    cell: ({ active }) => <StatusLight tone={active ? "good" : "neutral"}>{active ? "On" : "Off"}</StatusLight>,
  },
  { header: "Announces", from: "md", cell: whenOf },
  { header: "Buttons", from: "lg", cell: ({ decisions }) => (decisions ? "Approve and reject" : "Only a link") },
  { header: "Actions", align: "end", cell: (channel) => <ChannelActions channel={channel} /> },
];

function whenOf({ after_minutes: after, remind_every_minutes: every }: wire.ApprovalChannel): string {
  const first = after === 0 ? "At once" : `After ${after} minutes`;
  return every === null ? first : `${first}, again every ${every} minutes`;
}

function ChannelActions({ channel }: { readonly channel: wire.ApprovalChannel }) {
  const [isEditing, setEditing] = useState(false);
  const access = useAccess();
  const test = useWrite("approval_channels.test");
  const remove = useWrite("approval_channels.delete", { refreshes: ["approval_channels."] });
  const path = { id: channel.id };
  return (
    <span className="inline-flex flex-wrap justify-end gap-2">
      <Button
        size="sm"
        aria-label={`Test ${channel.name}`}
        isPending={test.isPending}
        isDisabled={!access.may("approval_channels.test")}
        onPress={() =>
          test.mutate(
            { path },
            {
              onSuccess: ({ ok, message }) => (ok ? toast(message) : toastError(new Error(message))),
              onError: toastError,
            },
          )
        }
      >
        Test
      </Button>
      <Button
        size="sm"
        aria-label={`Edit ${channel.name}`}
        isDisabled={!access.may("approval_channels.update")}
        onPress={() => setEditing(true)}
      >
        Edit
      </Button>
      <Button
        size="sm"
        aria-label={`Delete ${channel.name}`}
        isPending={remove.isPending}
        isDisabled={!access.may("approval_channels.delete")}
        onPress={() => remove.mutate({ path }, toastOutcome("Channel deleted."))}
      >
        Delete
      </Button>
      {isEditing ? <ChannelDialog channel={channel} onClose={() => setEditing(false)} /> : null}
    </span>
  );
}
