import { useQuery } from "@tanstack/react-query";
import { read } from "../../api/api.ts";
import { ComboBox, Select, TagInput, TextField } from "../../ui/ui.ts";
import type { PartProps } from "./contract-draft.ts";

const WAITS = [
  { value: "sync", label: "The caller waits for the answer" },
  { value: "async", label: "The answer comes later" },
];
const NOT_JSON = [
  { value: "refused", label: "Nobody knows whether it was done" },
  { value: "taken", label: "It was done: any 2xx will do" },
];
const AUTHS = [
  { value: "none", label: "The signature alone" },
  { value: "bearer", label: "A bearer token too" },
  { value: "api_key", label: "A key in a header too" },
  { value: "basic", label: "User and password too" },
  { value: "hmac", label: "The signature, by a secret of yours" },
];

/** The address, what it is called with, and how its answer is read. */
export function BackendFields(props: PartProps) {
  const { draft, change, problems } = props;
  return (
    <div className="flex flex-col gap-4">
      <TextField
        label="Address"
        description="An https address on the internet."
        inputMode="url"
        mono
        value={draft.endpoint}
        onChange={(endpoint) => change({ endpoint })}
        error={problems("/endpoint")}
      />
      <TextField
        label="Address in the sandbox"
        description="Left empty, sandbox runs are simulated."
        inputMode="url"
        mono
        value={draft.sandboxEndpoint}
        onChange={(sandboxEndpoint) => change({ sandboxEndpoint })}
        error={problems("/sandbox_endpoint")}
      />
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <TextField
          label="Address that undoes it"
          description="Left empty, it cannot be undone."
          inputMode="url"
          mono
          value={draft.undoEndpoint}
          onChange={(undoEndpoint) => change({ undoEndpoint })}
          error={problems("/undo/endpoint") ?? problems("/reversible")}
        />
        <TextField
          label="Seconds in which it can be undone"
          inputMode="numeric"
          value={draft.undoWindow}
          onChange={(undoWindow) => change({ undoWindow })}
          error={problems("/undo/window_seconds")}
        />
        <Select label="Answer" options={WAITS} value={draft.delivery} onChange={(delivery) => change({ delivery })} />
        <TextField
          label="Milliseconds allowed"
          inputMode="numeric"
          description="30000 at most."
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
        label="Proves who calls by"
        options={AUTHS}
        value={draft.authType}
        onChange={(authType) => change({ authType })}
      />
      {draft.authType === "none" ? null : (
        <ComboBox
          label="Name of the secret"
          description="Stored by the API: PUT /v1/secrets/{name}."
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
          description="X-Api-Key, where it is left empty."
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
        label="An answer that is not JSON"
        description="It may be a sign-in or maintenance page in front of the backend."
        options={NOT_JSON}
        value={draft.notJson}
        onChange={(notJson) => change({ notJson: notJson === "taken" ? "taken" : "refused" })}
        error={problems("/response/json")}
      />
      <div className="hidden sm:block" />
      <TextField
        label="It succeeded where"
        description="A path in the answer, such as $.status. Left empty, any 2xx will do."
        mono
        value={draft.successPath}
        onChange={(successPath) => change({ successPath })}
        error={problems("/response/success_when/path")}
      />
      <TextField
        label="is"
        description="A JSON value, or a text."
        mono
        value={draft.successEquals}
        onChange={(successEquals) => change({ successEquals })}
        error={problems("/response/success_when/equals")}
      />
      <TextField
        label="Where the result stands"
        description="Left empty, the whole answer."
        mono
        value={draft.resultPath}
        onChange={(resultPath) => change({ resultPath })}
        error={problems("/response/result_path")}
      />
      <TextField
        label="Where a failed answer says why"
        mono
        value={draft.errorPath}
        onChange={(errorPath) => change({ errorPath })}
        error={problems("/response/error_path")}
      />
      <div className="sm:col-span-2">
        <TagInput
          label="Members of the result that are shown"
          description="Left empty, all are."
          values={draft.expose}
          onChange={(expose) => change({ expose })}
          {...(exposeProblem === undefined ? {} : { error: exposeProblem })}
        />
      </div>
    </div>
  );
}
