import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import {
  Button,
  CopyButton,
  Dialog,
  ExternalLink,
  fieldError,
  Finder,
  FormDialog,
  KeyValue,
  Link,
  Loaded,
  SecretOnce,
  ShowAs,
  TextField,
} from "../../ui/ui.ts";
import { groupsOf, originOf, PRESETS, SENDERS } from "./senders.ts";
import type { Origin } from "./senders.ts";
import { SetupSteps } from "./setup-steps.tsx";

/** Chooses the sender, then asks for a name and a secret. The sender brings signature and mapping, which can be changed later. */
export function CreateSourceDialog({ onClose }: { readonly onClose: () => void }) {
  const [origin, setOrigin] = useState<Origin>();
  return origin === undefined ? (
    <Gallery onClose={onClose} onPick={setOrigin} />
  ) : (
    <SourceForm origin={origin} onBack={() => setOrigin(undefined)} onClose={onClose} />
  );
}

function Gallery({ onClose, onPick }: { readonly onClose: () => void; readonly onPick: (origin: Origin) => void }) {
  const senders = useQuery(SENDERS);
  const presets = useQuery(PRESETS);
  return (
    <Dialog title="Create source" isOpen onClose={onClose} actions={<Button onPress={onClose}>Cancel</Button>}>
      <p className="pb-3 text-muted">Choose the system that will send webhooks.</p>
      <Loaded query={senders} label="Loading the senders">
        {({ data: known }) => (
          <Loaded query={presets} label="Loading the presets">
            {({ data: templates }) => (
              <Finder
                label="Senders"
                placeholder="Find a sender"
                groups={groupsOf(known, templates)}
                empty="No sender with this name. For any other system, search for “custom”."
                onPick={(id) => {
                  const origin = originOf(id, known, templates);
                  if (origin !== undefined) onPick(origin);
                }}
              />
            )}
          </Loaded>
        )}
      </Loaded>
    </Dialog>
  );
}

interface SourceFormProps {
  readonly origin: Origin;
  readonly onBack: () => void;
  readonly onClose: () => void;
}

/** Kinds of signatures whose secret the service cannot generate: a public key or an ARN of the sender. */
const NEEDS_SECRET: ReadonlySet<string> = new Set(["ed25519", "ecdsa_p256", "sns"]);

function SourceForm({ origin, onBack, onClose }: SourceFormProps) {
  const sender = origin.kind === "sender" ? origin.sender : undefined;
  const title = origin.kind === "sender" ? origin.sender.title : origin.preset.name;
  const [name, setName] = useState(origin.kind === "preset" && origin.preset.key === "custom" ? "" : title);
  const [secret, setSecret] = useState("");
  const create = useWrite("inbound_endpoints.create", { refreshes: ["inbound_endpoints."] });
  if (create.data !== undefined) return <CreatedDialog made={create.data} sender={sender} onClose={onClose} />;
  const from = origin.kind === "sender" ? { sender: origin.sender.key } : { preset: origin.preset.key };
  const body = { name, ...from, ...(secret === "" ? {} : { secret }) };
  return (
    <FormDialog
      title={`Create source: ${title}`}
      onClose={onClose}
      code={
        <>
          <Button onPress={onBack}>Back</Button>
          <ShowAs operation="inbound_endpoints.create" input={{ body }} />
        </>
      }
      submitLabel="Create source"
      isPending={create.isPending}
      error={create.error}
      onSubmit={() => create.mutate({ body })}
    >
      {sender === undefined ? null : (
        <p className="text-muted">
          {sender.description} <ExternalLink href={sender.documentation}>Documentation of {title}</ExternalLink>
        </p>
      )}
      <TextField
        label="Name"
        isRequired
        autoFocus
        maxLength={100}
        value={name}
        onChange={setName}
        {...fieldError(create.error, "/name")}
      />
      <TextField
        label={sender?.secret.label ?? "Secret"}
        description={secretHint(sender)}
        isRequired={sender !== undefined && NEEDS_SECRET.has(sender.scheme.kind)}
        type="password"
        autoComplete="off"
        value={secret}
        onChange={setSecret}
        {...fieldError(create.error, "/secret")}
      />
    </FormDialog>
  );
}

function secretHint(sender: wire.Sender | undefined): string {
  if (sender === undefined) return "Enter the secret that the sender gave you. Leave empty to generate a secret.";
  if (NEEDS_SECRET.has(sender.scheme.kind)) return `Copy it from ${sender.title}.`;
  return sender.secret.given_by === "sender"
    ? `Copy it from ${sender.title}. If ${sender.title} shows it only after you entered the URL, leave this empty and set it later.`
    : `Enter the same text in ${sender.title}. Leave empty to generate one.`;
}

interface CreatedDialogProps {
  readonly made: wire.InboundEndpointWithSecret;
  readonly sender: wire.Sender | undefined;
  readonly onClose: () => void;
}

function CreatedDialog({ made, sender, onClose }: CreatedDialogProps) {
  return (
    <Dialog
      title="Source created"
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Close</Button>
          <Link to={paths.source(made.id)} look="primary">
            Open source
          </Link>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <KeyValue
          rows={[
            {
              label: "URL",
              value: (
                <span className="inline-flex max-w-full items-start gap-1">
                  <code className="text-sm break-all">{made.url}</code>
                  <CopyButton text={made.url} label="Copy URL" />
                </span>
              ),
            },
          ]}
        />
        <SecretOnce label="Signing secret" secret={made.secret} />
        {sender === undefined ? null : <SetupSteps sender={sender} />}
      </div>
    </Dialog>
  );
}
