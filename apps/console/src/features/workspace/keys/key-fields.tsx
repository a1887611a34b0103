import { useState } from "react";
import type { wire } from "../../../api/api.ts";
import {
  bindFields,
  Button,
  fieldError,
  optionsOf,
  RadioGroup,
  Select,
  Switch,
  TagInput,
  TextField,
} from "../../../ui/ui.ts";
import type { KeyDraft } from "./key-draft.ts";
import { isPattern, patternsFor } from "./rights.ts";

export interface KeyFieldsProps {
  readonly draft: KeyDraft;
  readonly onChange: (draft: KeyDraft) => void;
  readonly role: wire.Role | undefined;
  readonly error: unknown;
}

const MODES = [
  { value: "all", label: "All", detail: "Reads and writes everything that its role allows" },
  { value: "read_only", label: "Read only", detail: "Write operations are denied" },
  { value: "restricted", label: "Restricted", detail: "Everything except the operations that you block" },
];
const ACTORS = [
  { value: "service", label: "Program", detail: "Acts as itself" },
  { value: "user", label: "You", detail: "Has your current role, and can approve proposals" },
  { value: "ai", label: "AI", detail: "Requests actions that people approve" },
];
const ROLES = optionsOf(["admin", "developer", "operator", "viewer"]);
const EXPIRIES = [
  { value: "", label: "Never" },
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
];

export function KeyFields({ draft, onChange, role, error }: KeyFieldsProps) {
  const [showsMore, setShowsMore] = useState(false);
  const problem = (pointer: string) => fieldError(error, pointer).error;
  const fields = bindFields({ value: draft, change: onChange, problem });
  return (
    <>
      <TextField label="Name" description="What the key is used for." isRequired autoFocus {...fields.text("/name")} />
      <RadioGroup label="Permissions" options={MODES} {...fields.choice("/permission_mode")} />
      {draft.permission_mode === "restricted" ? (
        <TagInput
          label="Blocked operations"
          description="An operation, an area such as keys.*, or * for all."
          placeholder="keys.*"
          {...fields.tags("/blocked_actions")}
          suggestions={patternsFor(role)}
          refuse={(text) =>
            isPattern(text) ? undefined : "Enter an operation such as events.fire, an area such as keys.*, or *."
          }
        />
      ) : null}
      <Select label="Acts as" options={ACTORS} {...fields.choice("/actor_type")} />
      {draft.actor_type === "service" ? <Select label="Role" options={ROLES} {...fields.choice("/role")} /> : null}
      {showsMore ? (
        <>
          <TextField
            label="Tenant"
            description="Your customer, by your own ID. The key can reach only what is this tenant's."
            isRequired={false}
            mono
            placeholder="acme"
            {...fields.text("/tenant", undefined)}
          />
          <TextField
            label="Rate limit (calls per hour)"
            isRequired={false}
            placeholder="500000"
            pattern="[0-9]*"
            {...fields.whole("/rate_limit_per_hour", undefined)}
          />
          <TagInput
            label="Allowed IP addresses"
            description="IP addresses or CIDR ranges. Leave empty to allow any address."
            placeholder="203.0.113.0/24"
            {...fields.tags("/ip_allowlist")}
          />
          <Select label="Expires" options={EXPIRIES} {...fields.text("/days")} {...fieldError(error, "/expires_at")} />
          <Switch {...fields.flag("/require_signature")}>Require signed calls</Switch>
        </>
      ) : (
        <Button variant="quiet" size="sm" onPress={() => setShowsMore(true)}>
          Show tenant, limits, addresses and expiry
        </Button>
      )}
    </>
  );
}
