import { SettingsBody } from "../accounts/accounts.ts";
import { ChannelBody, ContractBody } from "../actions/actions.ts";
import { RuleBody, WorkflowBody } from "../automation/automation.ts";
import { TypeBody } from "../events/events.ts";
import { Nullable, OneOf, strict, StringExample, Timestamp, Type, WireId } from "../lib/lib.ts";
import { EndpointBody, InboxName, SourceBody } from "../webhooks/webhooks.ts";
import { SECTIONS } from "./kinds/kind.ts";

const MOST = 5000;
const Name = StringExample("Billing", { minLength: 1, maxLength: 200 });
const renamed = {
  renamed_from: Type.Optional(
    StringExample("Old name", {
      minLength: 1,
      maxLength: 200,
      description: "The name that the object had. It keeps its id, its secrets and its log.",
    }),
  ),
};
const SecretHeaders = Type.Optional(
  Type.Unsafe<object>({
    type: "object",
    additionalProperties: true,
    description:
      'Each value is `{"secret_ref": …}`, which takes the value of a secret, or `"[redacted]"`, which keeps the value that it has.',
    examples: [{ Authorization: { secret_ref: "crm_token" } }],
  }),
);
const Items = (description: string) =>
  Type.Array(Type.Unsafe<object>({ type: "object", additionalProperties: true, examples: [{ type: "delay" }] }), {
    minItems: 1,
    maxItems: 100,
    description,
  });

const { name: TypeName, schema, examples, ...described } = TypeBody.properties;
const EventType = Type.Object(
  {
    name: TypeName,
    ...described,
    versions: Type.Optional(
      Type.Array(Type.Object({ schema, examples }, { ...strict, title: "ConfiguredEventTypeVersion" }), {
        minItems: 1,
        maxItems: 1000,
        description: "All versions of the type, oldest first. Only the last one can change. Not for canonical types.",
      }),
    ),
  },
  { ...strict, title: "ConfiguredEventType" },
);
const Inbox = Type.Object({ name: InboxName.properties.name }, { ...strict, title: "ConfiguredInbox" });
const Contract = Type.Object(ContractBody.properties, { ...strict, title: "ConfiguredActionContract" });
const { steps: _steps, ...workflow } = WorkflowBody.properties;
const Workflow = Type.Object(
  {
    ...workflow,
    steps: Items("The steps, as `POST /v1/workflows` takes them. Header values of webhooks name secrets."),
    ...renamed,
  },
  { ...strict, title: "ConfiguredWorkflow" },
);
const { then: _then, ...rule } = RuleBody.properties;
const Rule = Type.Object(
  {
    ...rule,
    then: Items(
      "The actions, as `POST /v1/rules` takes them, but `start_workflow {workflow, input?}` names the workflow. Header values of webhooks name secrets.",
    ),
    ...renamed,
  },
  { ...strict, title: "ConfiguredRule" },
);
const { tenant: _tenantOfSource, secret: _secret, name: _sourceName, ...source } = SourceBody.properties;
const Source = Type.Object({ name: Name, ...source, ...renamed }, { ...strict, title: "ConfiguredSource" });
const { tenant: _tenant, headers: _headers, name: _name, url: _url, ...endpoint } = EndpointBody.properties;
const Endpoint = Type.Object(
  {
    name: Name,
    url: Type.Optional(
      Nullable(StringExample("https://hooks.example.com/junction", { minLength: 1, maxLength: 2048 })),
    ),
    inbox: Type.Optional(
      Nullable(
        StringExample("laptop", { description: "The name of the inbox that gets the events, instead of `url`." }),
      ),
    ),
    ...endpoint,
    headers: SecretHeaders,
    ...renamed,
  },
  { ...strict, title: "ConfiguredEndpoint" },
);
const Channel = Type.Object({ ...ChannelBody.properties, ...renamed }, { ...strict, title: "ConfiguredChannel" });

const section = <T extends Parameters<typeof Type.Array>[0]>(items: T, description: string) =>
  Type.Optional(Type.Array(items, { maxItems: MOST, description }));
const configuration = {
  version: Type.Unsafe<1>({ type: "integer", enum: [1], description: "The version of the format.", examples: [1] }),
  settings: Type.Optional(Type.Object(SettingsBody.properties, { ...strict, title: "ConfiguredSettings" })),
  event_types: section(EventType, "Your own event types, and canonical ones with your choices."),
  inboxes: section(Inbox, "The named inboxes."),
  contracts: section(Contract, "The action contracts, by their keys, without those of connectors."),
  workflows: section(Workflow, "The workflows."),
  rules: section(Rule, "The rules."),
  sources: section(Source, "The workspace's own sources, without their secrets and URLs."),
  endpoints: section(Endpoint, "The workspace's own webhook endpoints, without their signing secrets."),
  channels: section(Channel, "The channels of approvals."),
};
export const ConfigurationBody = Type.Object(configuration, {
  ...strict,
  title: "Configuration",
  description: "A section that is left out is not managed.",
});
const Compared = {
  configuration: ConfigurationBody,
  prune: Type.Optional(
    Type.Boolean({
      default: false,
      description: "Whether the objects of a section that the configuration does not contain are deleted.",
    }),
  ),
};
export const PlanBody = Type.Object(Compared, { ...strict, title: "NewConfigurationPlan" });
export const DriftBody = Type.Object(Compared, { ...strict, title: "ConfigurationComparison" });
export const PlanParams = Type.Object({ id: WireId("pln") });

const KindOfObject = OneOf(Object.values(SECTIONS), "The kind of the object.");
const named = { kind: KindOfObject, name: StringExample("Billing") };
const changes = {
  create: Type.Array(Type.Object(named, { title: "ConfigurationObject" })),
  update: Type.Array(
    Type.Object(
      {
        ...named,
        renamed_from: Type.Optional(StringExample("Old name")),
        changes: Type.Array(
          Type.Object(
            {
              path: StringExample("/url", { description: "The JSON Pointer of the member in the object." }),
              from: Type.Optional(Type.Unsafe<unknown>({ description: "The value in the workspace." })),
              to: Type.Optional(Type.Unsafe<unknown>({ description: "The value in the configuration." })),
            },
            { title: "ConfigurationDifference" },
          ),
        ),
      },
      { title: "ConfigurationUpdate" },
    ),
  ),
  delete: Type.Array(Type.Object(named, { title: "ConfigurationDeletion" })),
  unchanged: Type.Integer({ minimum: 0, description: "The number of objects that are the same.", examples: [12] }),
  warnings: Type.Array(
    Type.Object(
      {
        code: OneOf(["left_out"], "`left_out`: a section that only live credentials change."),
        section: StringExample("event_types"),
        message: StringExample("event_types are shared by live and sandbox, and are left out."),
      },
      { title: "ConfigurationWarning" },
    ),
  ),
};
export const PlanView = Type.Object(
  { id: WireId("pln"), object: OneOf(["configuration_plan"]), expires_at: Timestamp, ...changes },
  { title: "ConfigurationPlan" },
);
export const DriftView = Type.Object(
  { object: OneOf(["configuration_drift"]), ...changes },
  { title: "ConfigurationDrift" },
);
export const ApplicationView = Type.Object(
  { object: OneOf(["configuration_application"]), plan_id: WireId("pln"), ...changes },
  { title: "ConfigurationApplication" },
);
