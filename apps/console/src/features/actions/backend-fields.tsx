import { useQuery } from "@tanstack/react-query";
import { read } from "../../api/api.ts";
import { ComboBox, Select, TagInput, TextField } from "../../ui/ui.ts";
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
  const { draft, change, problems } = props;
  return (
    <div className="flex flex-col gap-4">
      <TextField
        label="URL"
        description="A public https URL."
        inputMode="url"
        mono
        value={draft.endpoint}
        onChange={(endpoint) => change({ endpoint })}
        error={problems("/endpoint")}
      />
      <TextField
        label="Sandbox URL"
        description="Leave empty to simulate runs in the sandbox."
        inputMode="url"
        mono
        value={draft.sandboxEndpoint}
        onChange={(sandboxEndpoint) => change({ sandboxEndpoint })}
        error={problems("/sandbox_endpoint")}
      />
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <TextField
          label="Undo URL"
          description="Leave empty if the action can't be undone."
          inputMode="url"
          mono
          value={draft.undoEndpoint}
          onChange={(undoEndpoint) => change({ undoEndpoint })}
          error={problems("/undo/endpoint") ?? problems("/reversible")}
        />
        <TextField
          label="Undo window (seconds)"
          inputMode="numeric"
          value={draft.undoWindow}
          onChange={(undoWindow) => change({ undoWindow })}
          error={problems("/undo/window_seconds")}
        />
        <Select label="Response" options={WAITS} value={draft.delivery} onChange={(delivery) => change({ delivery })} />
        <TextField
          label="Timeout (ms)"
          inputMode="numeric"
          description="Maximum: 30000."
          value={draft.timeout}
          onChange={(timeout) => change({ timeout })}
          error={problems("/timeout_ms")}
        />
      </div>
      <Auth {...props} />
      <Answer {...props} />
    </div>
  );
}

function Auth({ draft, change, problems }: PartProps) {
  const secrets = useQuery({ ...read("secrets.list", { query: { limit: 100 } }), staleTime: 60_000, retry: false });
  const options = secrets.data?.data.map(({ name }) => ({ value: name, label: name })) ?? [];
  const secretProblem = problems("/auth/secret_ref");
  return (
    <div className="grid items-start gap-4 sm:grid-cols-2">
      <Select
        label="Authentication"
        options={AUTHS}
        value={draft.authType}
        onChange={(authType) => change({ authType })}
      />
      {draft.authType === "none" ? null : (
        <ComboBox
          label="Secret name"
          description="Store the secret through the API: PUT /v1/secrets/{name}."
          mono
          options={options}
          value={draft.secretRef}
          onChange={(secretRef) => change({ secretRef })}
          {...(secretProblem === undefined ? {} : { error: secretProblem })}
        />
      )}
      {draft.authType === "api_key" ? (
        <TextField
          label="Header"
          description="Default: X-Api-Key."
          mono
          value={draft.header}
          onChange={(header) => change({ header })}
          error={problems("/auth/header")}
        />
      ) : null}
    </div>
  );
}

function Answer({ draft, change, problems }: PartProps) {
  const exposeProblem = problems("/response/expose");
  return (
    <div className="grid items-start gap-4 sm:grid-cols-2">
      <Select
        label="Non-JSON response"
        description="Can be a sign-in or maintenance page in front of the backend."
        options={NOT_JSON}
        value={draft.notJson}
        onChange={(notJson) => change({ notJson: notJson === "taken" ? "taken" : "refused" })}
        error={problems("/response/json")}
      />
      <div className="hidden sm:block" />
      <TextField
        label="Success condition"
        description="A path in the response, such as $.status. Leave empty to accept any 2xx response."
        mono
        value={draft.successPath}
        onChange={(successPath) => change({ successPath })}
        error={problems("/response/success_when/path")}
      />
      <TextField
        label="Expected value"
        description="A JSON value or a text."
        mono
        value={draft.successEquals}
        onChange={(successEquals) => change({ successEquals })}
        error={problems("/response/success_when/equals")}
      />
      <TextField
        label="Result path"
        description="Leave empty to use the whole response."
        mono
        value={draft.resultPath}
        onChange={(resultPath) => change({ resultPath })}
        error={problems("/response/result_path")}
      />
      <TextField
        label="Error message path"
        mono
        value={draft.errorPath}
        onChange={(errorPath) => change({ errorPath })}
        error={problems("/response/error_path")}
      />
      <div className="sm:col-span-2">
        <TagInput
          label="Visible result fields"
          description="Leave empty to show all fields."
          values={draft.expose}
          onChange={(expose) => change({ expose })}
          {...(exposeProblem === undefined ? {} : { error: exposeProblem })}
        />
      </div>
    </div>
  );
}
