import { SettingsBody } from "../accounts/accounts.ts";
import { ChannelBody, ContractBody } from "../actions/actions.ts";
import { RuleBody, WorkflowBody } from "../automation/automation.ts";
import { TypeBody } from "../events/events.ts";
import { t } from "../lib/lib.ts";
import { EndpointBody, InboxName, SourceBody } from "../webhooks/webhooks.ts";
import { SECTIONS } from "./kinds/kind.ts";

const MOST = 5000;
const Name = t.StringExample("Billing", { minLength: 1, maxLength: 200 });
const renamed = {
  renamed_from: t.Optional(
    t.StringExample("Old name", {
      minLength: 1,
      maxLength: 200,
      description: "The name that the object had. It keeps its id, its secrets and its log.",
    }),
  ),
};
const SecretHeaders = t.Optional(
  t.Unsafe<object>({
    type: "object",
    additionalProperties: true,
    description:
      'Each value is `{"secret_ref": …}`, which takes the value of a secret, or `"[redacted]"`, which keeps the value that it has.',
    examples: [{ Authorization: { secret_ref: "crm_token" } }],
  }),
);
const Items = (description: string) =>
  t.Array(t.Unsafe<object>({ type: "object", additionalProperties: true, examples: [{ type: "delay" }] }), {
    minItems: 1,
    maxItems: 100,
    description,
  });

const { name: TypeName, schema, examples, ...described } = TypeBody.properties;
const EventType = t.Object(
  {
    name: TypeName,
    ...described,
    versions: t.Optional(
      t.Array(t.Object({ schema, examples }, { ...t.strict, title: "ConfiguredEventTypeVersion" }), {
        minItems: 1,
        maxItems: 1000,
        description: "All versions of the type, oldest first. Only the last one can change. Not for canonical types.",
      }),
    ),
  },
  { ...t.strict, title: "ConfiguredEventType" },
);
const Inbox = t.Object({ name: InboxName.properties.name }, { ...t.strict, title: "ConfiguredInbox" });
const Contract = t.Object(ContractBody.properties, { ...t.strict, title: "ConfiguredActionContract" });
const { steps: _steps, ...workflow } = WorkflowBody.properties;
const Workflow = t.Object(
  {
    ...workflow,
    steps: Items("The steps, as `POST /v1/workflows` takes them. Header values of webhooks name secrets."),
    ...renamed,
  },
  { ...t.strict, title: "ConfiguredWorkflow" },
);
const { then: _then, ...rule } = RuleBody.properties;
const Rule = t.Object(
  {
    ...rule,
    then: Items(
      "The actions, as `POST /v1/rules` takes them, but `start_workflow {workflow, input?}` names the workflow. Header values of webhooks name secrets.",
    ),
    ...renamed,
  },
  { ...t.strict, title: "ConfiguredRule" },
);
const { tenant: _tenantOfSource, secret: _secret, name: _sourceName, ...source } = SourceBody.properties;
const Source = t.Object({ name: Name, ...source, ...renamed }, { ...t.strict, title: "ConfiguredSource" });
const { tenant: _tenant, headers: _headers, name: _name, url: _url, ...endpoint } = EndpointBody.properties;
const Endpoint = t.Object(
  {
    name: Name,
    url: t.Optional(
      t.Nullable(t.StringExample("https://hooks.example.com/junction", { minLength: 1, maxLength: 2048 })),
    ),
    inbox: t.Optional(
      t.Nullable(t.StringExample("laptop", "The name of the inbox that gets the events, instead of `url`.")),
    ),
    ...endpoint,
    headers: SecretHeaders,
    ...renamed,
  },
  { ...t.strict, title: "ConfiguredEndpoint" },
);
const Channel = t.Object({ ...ChannelBody.properties, ...renamed }, { ...t.strict, title: "ConfiguredChannel" });

const section = <T extends Parameters<typeof t.Array>[0]>(items: T, description: string) =>
  t.Optional(t.Array(items, { maxItems: MOST, description }));
const configuration = {
  version: t.Unsafe<1>({ type: "integer", enum: [1], description: "The version of the format.", examples: [1] }),
  settings: t.Optional(t.Object(SettingsBody.properties, { ...t.strict, title: "ConfiguredSettings" })),
  event_types: section(EventType, "Your own event types, and canonical ones with your choices."),
  inboxes: section(Inbox, "The named inboxes."),
  contracts: section(Contract, "The action contracts, by their keys, without those of connectors."),
  workflows: section(Workflow, "The workflows."),
  rules: section(Rule, "The rules."),
  sources: section(Source, "The workspace's own sources, without their secrets and URLs."),
  endpoints: section(Endpoint, "The workspace's own webhook endpoints, without their signing secrets."),
  channels: section(Channel, "The channels of approvals."),
};
export const ConfigurationBody = t.Object(configuration, {
  ...t.strict,
  title: "Configuration",
  description: "A section that is left out is not managed.",
});
const Compared = {
  configuration: ConfigurationBody,
  prune: t.Optional(
    t.Boolean({
      default: false,
      description: "Whether the objects of a section that the configuration does not contain are deleted.",
    }),
  ),
};
export const PlanBody = t.Object(Compared, { ...t.strict, title: "NewConfigurationPlan" });
export const DriftBody = t.Object(Compared, { ...t.strict, title: "ConfigurationComparison" });
export const PlanParams = t.Object({ id: t.WireId("pln") });

const KindOfObject = t.OneOf(Object.values(SECTIONS), "The kind of the object.");
const named = { kind: KindOfObject, name: t.StringExample("Billing") };
const changes = {
  create: t.Array(t.Object(named, { title: "ConfigurationObject" })),
  update: t.Array(
    t.Object(
      {
        ...named,
        renamed_from: t.Optional(t.StringExample("Old name")),
        changes: t.Array(
          t.Object(
            {
              path: t.StringExample("/url", "The JSON Pointer of the member in the object."),
              from: t.Optional(t.Unsafe<unknown>({ description: "The value in the workspace." })),
              to: t.Optional(t.Unsafe<unknown>({ description: "The value in the configuration." })),
            },
            { title: "ConfigurationDifference" },
          ),
        ),
      },
      { title: "ConfigurationUpdate" },
    ),
  ),
  delete: t.Array(
    t.Object(
      {
        ...named,
        pending_deliveries: t.Optional(
          t.Integer({
            minimum: 0,
            maximum: 1000,
            description:
              "For an endpoint in a plan or a comparison: the number of its pending deliveries, which its deletion cancels. At most 1,000 are counted.",
            examples: [3],
          }),
        ),
      },
      { title: "ConfigurationDeletion" },
    ),
  ),
  unchanged: t.Integer({ minimum: 0, description: "The number of objects that are the same.", examples: [12] }),
  warnings: t.Array(
    t.Object(
      {
        code: t.OneOf(["left_out"], "`left_out`: a section that only live credentials change."),
        section: t.StringExample("event_types"),
        message: t.StringExample("event_types are shared by live and sandbox, and are left out."),
      },
      { title: "ConfigurationWarning" },
    ),
  ),
};
export const PlanView = t.Object(
  { id: t.WireId("pln"), object: t.OneOf(["configuration_plan"]), expires_at: t.Timestamp, ...changes },
  { title: "ConfigurationPlan" },
);
export const DriftView = t.Object(
  { object: t.OneOf(["configuration_drift"]), ...changes },
  { title: "ConfigurationDrift" },
);
export const ApplicationView = t.Object(
  { object: t.OneOf(["configuration_application"]), plan_id: t.WireId("pln"), ...changes },
  { title: "ConfigurationApplication" },
);
