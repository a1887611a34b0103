import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { loadSnippets, useScope } from "../api/api.ts";
import type { SnippetCall, SnippetLanguage } from "../api/api.ts";
import { CodeBlock } from "./code.tsx";
import { Dialog } from "./dialog.tsx";
import { ExternalLink } from "./link.tsx";
import { Skeleton } from "./states.tsx";
import { Tabs } from "./tabs.tsx";

const LANGUAGES: readonly { readonly id: SnippetLanguage; readonly label: string }[] = [
  { id: "curl", label: "curl" },
  { id: "node", label: "Node" },
  { id: "python", label: "Python" },
  { id: "php", label: "PHP" },
];

export function CodeDialog({ call, onClose }: { readonly call: SnippetCall; readonly onClose: () => void }) {
  const [language, setLanguage] = useState<string>("curl");
  const { environment } = useScope();
  const snippets = useQuery({ queryKey: ["snippets"], queryFn: loadSnippets, staleTime: Infinity });
  const where = { baseUrl: window.location.origin, environment };
  return (
    <Dialog title="Code example" size="lg" isOpen onClose={onClose}>
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
        <code>{call.operation}</code> in the <ExternalLink href="/docs/api">API reference</ExternalLink>. The call needs
        an API key of this workspace. Create keys under API keys.
      </p>
    </Dialog>
  );
}
