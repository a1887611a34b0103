import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { read, useLiveRefresh, useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { Card, EmptyState, Form, JsonTree, Loaded, Select, ShowAs, toastSuccess } from "../../ui/ui.ts";
import type { Draft } from "../../ui/ui.ts";
import { bodyOf, inBody, inElement, PATHS, pathsIn } from "./mapping.ts";
import type { Mapping, PathName } from "./mapping.ts";
import { MappingFields } from "./mapping-fields.tsx";
import { Results } from "./mapping-results.tsx";
import { usePayloads, useReadText } from "./payloads.ts";
import { RequestTrial } from "./request-trial.tsx";
import { SaveSource } from "./save-source.tsx";

const SAMPLES = 5;

export interface MappingEditorProps {
  readonly source: wire.InboundEndpoint;
  readonly draft: Draft<Mapping>;
}

/** Edits a mapping. A click on a value of a received payload puts its path into the chosen field. The results are shown for all of the last payloads. */
export function MappingEditor({ source, draft }: MappingEditorProps) {
  const list = useQuery(read("inbound_receipts.list", { query: { source_id: source.id, limit: SAMPLES } }));
  useLiveRefresh("receipt", "inbound_receipts.list");
  return (
    <Loaded query={list} label="Loading recent receipts">
      {({ data }) => <Editor source={source} draft={draft} receipts={data} />}
    </Loaded>
  );
}

interface EditorProps extends MappingEditorProps {
  readonly receipts: readonly wire.InboundReceipt[];
}

function Editor({ source, draft, receipts }: EditorProps) {
  const mapping = draft.value;
  const [chosen, setChosen] = useState<PathName>("contact_email_path");
  const [asked, setAsked] = useState("");
  const payloads = usePayloads(receipts);
  const shown = payloads.find(({ id }) => id === asked) ?? payloads[0];
  const text = useReadText(source, shown);
  const body = bodyOf(mapping);
  const each = mapping.each.trim();
  const picked = new Set(PATHS.flatMap(({ name }) => pathsIn(mapping[name]).map((path) => inBody(path, each))));
  const change = (part: Partial<Mapping>): void => draft.change({ ...mapping, ...part });
  const pick = (path: string): void => {
    change({ [chosen]: inElement(path, each) });
    const index = PATHS.findIndex(({ name }) => name === chosen);
    const next = PATHS.slice(index + 1).find(({ name }) => mapping[name] === "");
    if (next !== undefined) setChosen(next.name);
  };
  return (
    <div className="grid grid-cols-1 items-start gap-4 xl:grid-cols-2">
      <Card
        title="Request"
        description="The body as JSON. Click a value or press Enter to put its path into the highlighted field."
      >
        {shown === undefined ? (
          <EmptyState title="No requests yet">
            Send a request to this source. The Connect tab has an example. You can also enter paths by hand.
          </EmptyState>
        ) : (
          <div className="flex flex-col gap-3">
            <Select
              label="Receipt"
              options={payloads.map(({ id, label }) => ({ value: id, label }))}
              value={shown.id}
              onChange={setAsked}
            />
            <JsonTree
              key={`${shown.id} ${text.length}`}
              label="Body"
              text={text}
              onPick={pick}
              picked={picked}
              depth={4}
            />
          </div>
        )}
      </Card>
      <MappingForm source={source} draft={draft} chosen={chosen} onChange={change} onChoose={setChosen} />
      <div className="xl:col-span-2">
        <Results source={source} payloads={payloads} mapping={body} />
      </div>
      <div className="xl:col-span-2">
        <RequestTrial source={source} mapping={body} />
      </div>
    </div>
  );
}

interface MappingFormProps extends MappingEditorProps {
  /** The field that a click on a value fills. */
  readonly chosen: PathName;
  readonly onChange: (part: Partial<Mapping>) => void;
  readonly onChoose: (name: PathName) => void;
}

function MappingForm({ source, draft, chosen, onChange, onChoose }: MappingFormProps) {
  const save = useWrite("inbound_endpoints.update", { refreshes: ["inbound_endpoints."] });
  const mapping = draft.value;
  const input = { path: { id: source.id }, body: bodyOf(mapping) };
  const send = (): void =>
    save.mutate(
      input,
      toastSuccess("Mapping saved. The change applies from the next request.", () => draft.keep(mapping)),
    );
  return (
    <Card
      title="Mapping"
      description="Each path is a JSONPath (RFC 9535) that selects one value, such as $.data.email or $.items[0].price. Several paths with commas between them are tried in their order."
      actions={<ShowAs operation="inbound_endpoints.update" input={input} />}
    >
      <Form label="Mapping" error={save.error} onSubmit={send}>
        <MappingFields mapping={mapping} error={save.error} chosen={chosen} onChange={onChange} onChoose={onChoose} />
        <SaveSource isPending={save.isPending}>Save mapping</SaveSource>
      </Form>
    </Card>
  );
}
