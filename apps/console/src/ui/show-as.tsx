import { useQuery } from "@tanstack/react-query";
import { Code2 } from "lucide-react";
import { useState } from "react";
import { loadSnippets, useScope } from "../api/api.ts";
import type { Input, OperationName, SnippetCall, SnippetLanguage } from "../api/api.ts";
import { Button } from "./button.tsx";
import { CodeBlock } from "./code.tsx";
import { Dialog } from "./dialog.tsx";
import { ExternalLink } from "./link.tsx";
import { Skeleton } from "./states.tsx";
import { Tabs } from "./tabs.tsx";

export interface ShowAsProps<Name extends OperationName> {
  readonly operation: Name;
  /** What the screen would send; what is empty is left out. */
  readonly input: Input<Name>;
  readonly size?: "sm" | "md";
}

const LANGUAGES: readonly { readonly id: SnippetLanguage; readonly label: string }[] = [
  { id: "curl", label: "curl" },
  { id: "node", label: "Node" },
  { id: "python", label: "Python" },
  { id: "php", label: "PHP" },
];

/** "Show as code": the call behind what is on the screen, for a program of one's own. */
export function ShowAs<Name extends OperationName>({ operation, input, size = "md" }: ShowAsProps<Name>) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="quiet" size={size} icon={<Code2 aria-hidden size={15} />} onPress={() => setOpen(true)}>
        Code
      </Button>
      {isOpen ? <CodeDialog call={{ operation, ...(input as object) }} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

function CodeDialog({ call, onClose }: { readonly call: SnippetCall; readonly onClose: () => void }) {
  const [language, setLanguage] = useState<string>("curl");
  const { environment } = useScope();
  const snippets = useQuery({ queryKey: ["snippets"], queryFn: loadSnippets, staleTime: Infinity });
  const where = { baseUrl: window.location.origin, environment };
  return (
    <Dialog title="The same as code" size="lg" isOpen onClose={onClose}>
      {snippets.data === undefined ? (
        <Skeleton label="Loading the code" />
      ) : (
        <Tabs
          label="Language"
          selected={language}
          onSelect={setLanguage}
          tabs={LANGUAGES.map(({ id, label }) => ({
            id,
            label,
            content: <CodeBlock label={`${label} code`} text={snippets.data.snippet(id, call, where)} />,
          }))}
        />
      )}
      <p className="mt-3 text-sm text-muted">
        <code>{call.operation}</code> in the <ExternalLink href="/docs">API reference</ExternalLink>. It takes an API
        key of this workspace; keys are made under API keys.
      </p>
    </Dialog>
  );
}
