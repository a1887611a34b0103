import { SecretName } from "../../shared/shared.ts";
import { Select, TagInput, TextField } from "../../ui/ui.ts";
import type { PartProps } from "./contract-draft.ts";

const WAITS = [
  { value: "sync", label: "Synchronous: the caller waits for it" },
  { value: "async", label: "Asynchronous: an event reports the result" },
];
const NOT_JSON = [
  { value: "refused", label: "The outcome is unknown" },
  { value: "taken", label: "Success if the status is 2xx" },
];
const AUTHS = [
  { value: "none", label: "Signature only" },
  { value: "bearer", label: "Signature and bearer token" },
  { value: "api_key", label: "Signature and API key header" },
  { value: "basic", label: "Signature, user name and password" },
  { value: "hmac", label: "Signature with your own secret" },
];

/** The address, what it is called with, and how its answer is read. */
export function BackendFields(props: PartProps) {
  const { fields, problems } = props;
  return (
    <div className="flex flex-col gap-4">
      <TextField label="URL" description="A public https URL." inputMode="url" mono {...fields.text("/endpoint")} />
      <TextField
        label="Sandbox URL"
        description="Leave empty to simulate runs in the sandbox."
        inputMode="url"
        mono
        {...fields.text("/sandbox_endpoint", null)}
      />
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <TextField
          label="Undo URL"
          description="Leave empty if the action can't be undone."
          inputMode="url"
          mono
          {...fields.text("/undo/endpoint")}
          error={problems("/undo/endpoint") ?? problems("/reversible")}
        />
        <TextField label="Undo window (seconds)" {...fields.whole("/undo/window_seconds")} />
        <Select label="Response" options={WAITS} {...fields.choice("/delivery")} />
        <TextField label="Timeout (ms)" description="Maximum: 30000." {...fields.whole("/timeout_ms")} />
      </div>
      <Auth {...props} />
      <Answer {...props} />
    </div>
  );
}

function Auth({ draft: { body }, fields }: PartProps) {
  return (
    <div className="grid items-start gap-4 sm:grid-cols-2">
      <Select label="Authentication" options={AUTHS} {...fields.choice("/auth/type")} />
      {body.auth.type === "none" ? null : (
        <SecretName
          label="Secret name"
          description="Store the secret through the API: PUT /v1/secrets/{name}."
          {...fields.text("/auth/secret_ref", null)}
        />
      )}
      {body.auth.type === "api_key" ? (
        <TextField label="Header" description="Default: X-Api-Key." mono {...fields.text("/auth/header", null)} />
      ) : null}
    </div>
  );
}

function Answer({ draft, change, fields, problems }: PartProps) {
  const json = fields.choice("/response/json");
  return (
    <div className="grid items-start gap-4 sm:grid-cols-2">
      <Select
        label="Non-JSON response"
        description="Can be a sign-in or maintenance page in front of the backend."
        options={NOT_JSON}
        value={json.value ? "refused" : "taken"}
        onChange={(outcome) => json.onChange(outcome === "refused")}
        error={json.error}
      />
      <div className="hidden sm:block" />
      <TextField
        label="Success condition"
        description="A path in the response, such as $.status. Leave empty to accept any 2xx response."
        mono
        {...fields.text("/response/success_when/path")}
      />
      <TextField
        label="Expected value"
        description="A JSON value or a text."
        mono
        value={draft.equals}
        onChange={(equals) => change({ equals })}
        error={problems("/response/success_when/equals")}
      />
      <TextField
        label="Result path"
        description="Leave empty to use the whole response."
        mono
        {...fields.text("/response/result_path", null)}
      />
      <TextField label="Error message path" mono {...fields.text("/response/error_path", null)} />
      <div className="sm:col-span-2">
        <TagInput
          label="Visible result fields"
          description="Leave empty to show all fields."
          {...fields.tags("/response/expose")}
        />
      </div>
    </div>
  );
}
