import { Inbox } from "lucide-react";
import { useState } from "react";
import {
  Badge,
  Button,
  Card,
  Chart,
  CodeBlock,
  EmptyState,
  ErrorState,
  JsonTree,
  Meter,
  PageHeader,
  RadioGroup,
  SecretOnce,
  Segmented,
  Select,
  Skeleton,
  StatusLight,
  Switch,
  TagInput,
  TextField,
  VirtualGrid,
  useGridSelection,
} from "./ui.ts";

const OPTIONS = [
  { value: "one", label: "One", detail: "The first" },
  { value: "two", label: "Two", detail: "The second" },
] as const;
const TONES = ["good", "warn", "bad", "info", "neutral"] as const;
const HOURS = Array.from({ length: 24 }, (_, hour) => new Date(Date.UTC(2026, 10, 21, hour)).toISOString());
const ROWS = 100_000;
const PAYLOAD = '{"order":{"id":12345678901234567890,"lines":[{"sku":"a-1","quantity":2}],"note":"<b>text</b>"}}';

/** Every component once, in development only. */
export function Screen() {
  return (
    <>
      <PageHeader title="Components" description="In development only." status={<Badge tone="info">gallery</Badge>} />
      <div className="grid gap-4 xl:grid-cols-2">
        <Controls />
        <Fields />
        <Card title="States">
          <Skeleton label="Loading" />
          <EmptyState
            title="Nothing here yet"
            icon={<Inbox aria-hidden size={20} />}
            action={<Button>Create one</Button>}
          />
          <ErrorState error={new Error("The receiver hung up.")} onRetry={() => {}} />
        </Card>
        <Card title="Data">
          <div className="flex flex-col gap-4">
            <Chart
              title="Deliveries"
              kind="area"
              at={HOURS}
              series={[{ name: "Delivered", values: HOURS.map((_, hour) => Math.round(40 + 30 * Math.sin(hour / 3))) }]}
            />
            <JsonTree label="Payload" text={PAYLOAD} onPick={() => {}} />
            <CodeBlock label="Headers" text="X-Service-Event: order.created" />
          </div>
        </Card>
      </div>
      <div className="mt-4">
        <Grid />
      </div>
    </>
  );
}

function Controls() {
  const [chosen, setChosen] = useState<"one" | "two">("one");
  const [isOn, setOn] = useState(true);
  return (
    <Card title="Controls">
      <div className="flex flex-col gap-4">
        <div className="flex flex-wrap gap-2">
          <Button variant="primary">Primary</Button>
          <Button>Secondary</Button>
          <Button variant="quiet">Quiet</Button>
          <Button variant="danger">Danger</Button>
          <Button isPending>Pending</Button>
          <Button isDisabled>Disabled</Button>
        </div>
        <div className="flex flex-wrap gap-4">
          {TONES.map((tone) => (
            <span key={tone} className="flex items-center gap-2">
              <Badge tone={tone}>{tone}</Badge>
              <StatusLight tone={tone}>{tone}</StatusLight>
            </span>
          ))}
        </div>
        <div className="w-fit">
          <Segmented label="Which" options={OPTIONS} value={chosen} onChange={setChosen} />
        </div>
        <Switch isSelected={isOn} onChange={setOn}>
          Switched
        </Switch>
        <Meter label="Used" value={30} most={100} text="30 of 100" />
        <SecretOnce label="Secret" secret="whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=" />
      </div>
    </Card>
  );
}

function Fields() {
  const [chosen, setChosen] = useState<"one" | "two">("one");
  const [tags, setTags] = useState<readonly string[]>(["order.created", "order.paid"]);
  return (
    <Card title="Fields">
      <div className="flex flex-col gap-4">
        <TextField label="Name" description="Shown to people." defaultValue="Checkout" />
        <TextField label="URL" error="The address is not public." defaultValue="https://10.0.0.1/" mono />
        <Select label="Which" options={OPTIONS} value={chosen} onChange={setChosen} />
        <RadioGroup label="Which of them" options={OPTIONS} value={chosen} onChange={setChosen} />
        <TagInput label="Events" values={tags} onChange={setTags} />
      </div>
    </Card>
  );
}

function Grid() {
  const selection = useGridSelection();
  return (
    <VirtualGrid
      label="A hundred thousand rows"
      height="20rem"
      count={ROWS}
      rowAt={(index) => index}
      keyOf={String}
      selection={selection}
      columns={[
        { header: "Row", width: "8rem", align: "end", cell: (row) => row },
        {
          header: "State",
          width: "minmax(8rem, 1fr)",
          cell: (row) => <StatusLight tone={TONES[row % 5] ?? "good"}>{TONES[row % 5]}</StatusLight>,
        },
      ]}
    />
  );
}
