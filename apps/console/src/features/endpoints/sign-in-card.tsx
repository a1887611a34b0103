import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { read, useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { useAccess, usePortal } from "../../session/session.ts";
import { fieldMessage, outsideFields } from "../../shared/shared.ts";
import {
  AbsoluteTime,
  Button,
  Card,
  Checkbox,
  ComboBox,
  CopiedId,
  ErrorNote,
  Form,
  Select,
  ShowAs,
  TextField,
  toast,
} from "../../ui/ui.ts";
import { AUTH_TYPES, authOf, outcomeOf, signInDraftOf, waitsOf } from "./sign-in-draft.ts";
import type { SignInDraft } from "./sign-in-draft.ts";

const PLACES = [
  { value: "header", label: "Header" },
  { value: "query", label: "Query parameter" },
];
const FAMILIES = [
  { value: "service", label: "X-Service-Signature" },
  { value: "standard", label: "Standard Webhooks (v1)" },
  { value: "ed25519", label: "Ed25519 public key (v1a)" },
] as const;
const POINTERS = [
  "/auth/secret_ref",
  "/auth/name",
  "/auth/token_url",
  "/auth/client_id",
  "/auth/certificate",
  "/auth/key_secret_ref",
  "/signatures",
  "/retry_schedule",
];

/** Edits how the service signs in to the receiver, signs its requests and retries them. */
export function SignInCard({ endpoint }: { readonly endpoint: wire.WebhookEndpoint }) {
  const [draft, setDraft] = useState(() => signInDraftOf(endpoint));
  const update = useWrite("webhook_endpoints.update", { refreshes: ["webhook_endpoints."] });
  const may = useAccess().may("webhook_endpoints.update");
  const isPortal = usePortal() !== undefined;
  const path = { id: endpoint.id };
  const change = (part: Partial<SignInDraft>): void => setDraft({ ...draft, ...part });
  const body = {
    ...(isPortal ? {} : { auth: authOf(draft) }),
    signatures: [...draft.signatures],
    retry_schedule: waitsOf(draft.waits),
  };
  const failure = outsideFields(update.error, POINTERS);
  const save = (): void =>
    update.mutate(
      { path, body },
      {
        onSuccess: (saved) => {
          setDraft(signInDraftOf(saved));
          toast("Endpoint saved. The next attempt uses the new settings.");
        },
      },
    );
  return (
    <Card
      title="Sign-in, signatures and retries"
      description="How requests are accepted by the receiver, and when failed ones are repeated."
    >
      <Form judge="service" onSubmit={save}>
        {isPortal ? null : <AuthFields draft={draft} change={change} error={update.error} />}
        <Certificate endpoint={endpoint} />
        <SignatureFields draft={draft} change={change} error={update.error} />
        {endpoint.public_key === null ? null : <CopiedId id={endpoint.public_key} what="public key" />}
        <TextField
          label="Retry schedule"
          description="The wait after each failed attempt, such as 60s, 5m, 2h. Up to 20 waits, together at most 7 days. Leave empty for the default."
          value={draft.waits}
          onChange={(waits) => change({ waits })}
          isRequired={false}
          mono
          error={fieldMessage(update.error, "/retry_schedule")}
        />
        {failure === null ? null : <ErrorNote error={failure} />}
        <div className="flex flex-wrap gap-2">
          <Button type="submit" variant="primary" isDisabled={!may} isPending={update.isPending}>
            Save sign-in
          </Button>
          <ConnectionTest endpointId={endpoint.id} />
          <ShowAs operation="webhook_endpoints.update" input={{ path, body }} />
        </div>
      </Form>
    </Card>
  );
}

interface PartProps {
  readonly draft: SignInDraft;
  change(part: Partial<SignInDraft>): void;
  readonly error: unknown;
}

function AuthFields({ draft, change, error }: PartProps) {
  return (
    <div className="grid items-start gap-4 sm:grid-cols-2">
      <Select
        label="Sign-in"
        options={[...AUTH_TYPES]}
        value={draft.type}
        onChange={(type) => change({ type: AUTH_TYPES.find(({ value }) => value === type)?.value ?? "none" })}
      />
      {draft.type === "none" ? null : (
        <SecretName
          label={draft.type === "mtls" ? "Secret with the private key" : "Secret name"}
          description={
            draft.type === "basic"
              ? "Its value is user:password."
              : "Store the secret through the API: PUT /v1/secrets/{name}."
          }
          value={draft.type === "mtls" ? draft.keySecret : draft.secret}
          onChange={(name) => change(draft.type === "mtls" ? { keySecret: name } : { secret: name })}
          error={fieldMessage(error, draft.type === "mtls" ? "/auth/key_secret_ref" : "/auth/secret_ref")}
        />
      )}
      {draft.type === "basic" ? (
        <TextField
          label="User name"
          isRequired={false}
          value={draft.username}
          onChange={(username) => change({ username })}
          error={fieldMessage(error, "/auth/username")}
        />
      ) : null}
      {draft.type === "api_key" ? (
        <>
          <Select
            label="Place"
            options={PLACES}
            value={draft.place}
            onChange={(place) => change({ place: place === "query" ? "query" : "header" })}
          />
          <TextField
            label="Name"
            mono
            value={draft.name}
            onChange={(name) => change({ name })}
            error={fieldMessage(error, "/auth/name")}
          />
        </>
      ) : null}
      {draft.type === "oauth2_client_credentials" ? <TokenFields draft={draft} change={change} error={error} /> : null}
      {draft.type === "mtls" ? (
        <TextField
          label="Certificate (PEM)"
          mono
          lines={5}
          value={draft.certificate}
          onChange={(certificate) => change({ certificate })}
          error={fieldMessage(error, "/auth/certificate")}
        />
      ) : null}
    </div>
  );
}

function TokenFields({ draft, change, error }: PartProps) {
  return (
    <>
      <TextField
        label="Token URL"
        inputMode="url"
        mono
        value={draft.tokenUrl}
        onChange={(tokenUrl) => change({ tokenUrl })}
        error={fieldMessage(error, "/auth/token_url")}
      />
      <TextField
        label="Client ID"
        mono
        value={draft.clientId}
        onChange={(clientId) => change({ clientId })}
        error={fieldMessage(error, "/auth/client_id")}
      />
      <TextField label="Scope" isRequired={false} mono value={draft.scope} onChange={(scope) => change({ scope })} />
      <TextField
        label="Audience"
        isRequired={false}
        mono
        value={draft.audience}
        onChange={(audience) => change({ audience })}
      />
    </>
  );
}

interface SecretNameProps {
  readonly label: string;
  readonly description: string;
  readonly value: string;
  onChange(name: string): void;
  readonly error: string | undefined;
}

function SecretName({ error, ...props }: SecretNameProps) {
  const secrets = useQuery({ ...read("secrets.list", { query: { limit: 100 } }), staleTime: 60_000, retry: false });
  const options = secrets.data?.data.map(({ name }) => ({ value: name, label: name })) ?? [];
  return <ComboBox {...props} mono options={options} error={error} />;
}

function SignatureFields({ draft, change, error }: PartProps) {
  const message = fieldMessage(error, "/signatures");
  const toggle = (family: (typeof FAMILIES)[number]["value"], isOn: boolean): void =>
    change({ signatures: isOn ? [...draft.signatures, family] : draft.signatures.filter((one) => one !== family) });
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="pb-1 text-sm font-medium">Signatures</legend>
      {FAMILIES.map(({ value, label }) => (
        <Checkbox key={value} isSelected={draft.signatures.includes(value)} onChange={(isOn) => toggle(value, isOn)}>
          {label}
        </Checkbox>
      ))}
      {message === undefined ? null : (
        <p role="alert" className="text-xs text-bad">
          {message}
        </p>
      )}
    </fieldset>
  );
}

function Certificate({ endpoint: { certificate_expires_at: at } }: { readonly endpoint: wire.WebhookEndpoint }) {
  if (at === null) return null;
  return (
    <p className="text-sm text-muted">
      The certificate is valid until <AbsoluteTime at={at} />.
    </p>
  );
}

/** Sends a test with the stored settings, and names the part that failed. */
function ConnectionTest({ endpointId }: { readonly endpointId: string }) {
  const test = useWrite("webhooks.test");
  const may = useAccess().may("webhooks.test");
  const outcome = test.data === undefined ? undefined : outcomeOf(test.data);
  return (
    <>
      <Button
        isDisabled={!may}
        isPending={test.isPending}
        onPress={() => test.mutate({ body: { endpoint_id: endpointId } })}
      >
        Test connection
      </Button>
      {outcome === undefined ? null : (
        <p role="status" className={outcome.isGood ? "text-sm text-good" : "text-sm text-bad"}>
          {outcome.text}
        </p>
      )}
      {test.isError ? <ErrorNote error={test.error} /> : null}
    </>
  );
}
