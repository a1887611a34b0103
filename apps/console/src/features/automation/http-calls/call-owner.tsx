import type { wire } from "../../../api/api.ts";
import { paths } from "../../../paths.ts";
import { Link } from "../../../ui/ui.ts";

/** The rule or workflow of a call. */
export function CallOwner({ call }: { readonly call: wire.HttpCall }) {
  const { rule_id: rule, workflow_id: workflow, owner_name: name } = call;
  const to = rule === null ? (workflow === null ? paths.workflows : paths.workflow(workflow)) : paths.rule(rule);
  return (
    <Link to={to} look="plain" className="break-words hover:underline">
      <bdi>{name}</bdi>
    </Link>
  );
}
