import { useState } from "react";
import { useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { useAccess, usePortal } from "../../session/session.ts";
import { fieldMessage, outsideFields, SecretName } from "../../shared/shared.ts";
import {
  AbsoluteTime,
  bindFields,
  Button,
  Card,
  Checkbox,
  CopiedId,
  ErrorNote,
  Form,
  Select,
  ShowAs,
  TextField,
  toast,
} from "../../ui/ui.ts";
import type { WireFields } from "../../ui/ui.ts";
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
  const problem = (pointer: string) => fieldMessage(update.error, pointer);
  const fields = bindFields({ value: draft, change: setDraft, problem });
  const may = useAccess().may("webhook_endpoints.update");
  const isPortal = usePortal() !== undefined;
  const path = { id: endpoint.id };
  const body = {
    ...(isPortal ? {} : { auth: authOf(draft.auth) }),
    signatures: draft.signatures,
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
        {isPortal ? null : <AuthFields auth={draft.auth} fields={fields} />}
        <Certificate endpoint={endpoint} />
        <SignatureFields {...fields.tags("/signatures")} />
        {endpoint.public_key === null ? null : <CopiedId id={endpoint.public_key} what="public key" />}
        <TextField
          label="Retry schedule"
          description="The wait after each failed attempt, such as 60s, 5m, 2h. Up to 20 waits, together at most 7 days. Leave empty for the default."
          isRequired={false}
          mono
          {...fields.text("/waits")}
          error={problem("/retry_schedule")}
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
  readonly auth: wire.WebhookEndpointAuth;
  readonly fields: WireFields<SignInDraft>;
}

function AuthFields({ auth: { type }, fields }: PartProps) {
  const isBasic = type === "basic";
  return (
    <div className="grid items-start gap-4 sm:grid-cols-2">
      <Select label="Sign-in" options={AUTH_TYPES} {...fields.choice("/auth/type")} />
      {type === "none" ? null : (
        <SecretName
          label={type === "mtls" ? "Secret with the private key" : "Secret name"}
          description={
            isBasic ? "Its value is user:password." : "Store the secret through the API: PUT /v1/secrets/{name}."
          }
          {...fields.text(type === "mtls" ? "/auth/key_secret_ref" : "/auth/secret_ref")}
        />
      )}
      {isBasic ? <TextField label="User name" isRequired={false} {...fields.text("/auth/username")} /> : null}
      {type === "api_key" ? (
        <>
          <Select label="Place" options={PLACES} {...fields.choice("/auth/in")} />
          <TextField label="Name" mono {...fields.text("/auth/name")} />
        </>
      ) : null}
      {type === "oauth2_client_credentials" ? <TokenFields fields={fields} /> : null}
      {type === "mtls" ? (
        <TextField label="Certificate (PEM)" mono lines={5} {...fields.text("/auth/certificate")} />
      ) : null}
    </div>
  );
}

function TokenFields({ fields }: Pick<PartProps, "fields">) {
  return (
    <>
      <TextField label="Token URL" inputMode="url" mono {...fields.text("/auth/token_url")} />
      <TextField label="Client ID" mono {...fields.text("/auth/client_id")} />
      <TextField label="Scope" isRequired={false} mono {...fields.text("/auth/scope")} />
      <TextField label="Audience" isRequired={false} mono {...fields.text("/auth/audience")} />
    </>
  );
}

function SignatureFields({ values, onChange, error }: ReturnType<PartProps["fields"]["tags"]>) {
  const toggle = (family: string, isOn: boolean): void =>
    onChange(isOn ? [...values, family] : values.filter((one) => one !== family));
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="pb-1 text-sm font-medium">Signatures</legend>
      {FAMILIES.map(({ value, label }) => (
        <Checkbox key={value} isSelected={values.includes(value)} onChange={(isOn) => toggle(value, isOn)}>
          {label}
        </Checkbox>
      ))}
      {error === undefined ? null : (
        <p role="alert" className="text-xs text-bad">
          {error}
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
