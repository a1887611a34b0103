import { useNavigate } from "@tanstack/react-router";
import { CornerDownLeft, Search } from "lucide-react";
import { useEffect, useState } from "react";
import {
  Autocomplete,
  Dialog,
  Input,
  Menu,
  MenuItem,
  Modal,
  ModalOverlay,
  SearchField,
  useFilter,
} from "react-aria-components";
import { useQuery } from "@tanstack/react-query";
import { environmentOfId, read } from "../api/api.ts";
import type { wire } from "../api/api.ts";
import { pathOfId, paths } from "../paths.ts";
import { useSession } from "../session/session.ts";
import { chooseFocused } from "../ui/ui.ts";
import { otherPages, pages } from "./navigation.ts";
import type { NavItem } from "./navigation.ts";

const PAGES: readonly NavItem[] = [...pages, ...otherPages];

/** Finds a page or an object by its name, and opens the object of an id in its environment. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState("");
  const { contains } = useFilter({ sensitivity: "base" });
  const open = useOpen(onClose);
  const id = text.trim();
  const isId = pathOfId(id) !== null && environmentOfId(id) !== null;
  const { results, state } = useSearch(isId ? "" : id);
  return (
    <ModalOverlay
      isOpen
      isDismissable
      onOpenChange={(isOpen) => (isOpen ? undefined : onClose())}
      className="anim-fade fixed inset-0 z-40 flex items-start justify-center bg-scrim p-4 pt-[12vh]"
    >
      <Modal className="anim-pop w-full max-w-xl overflow-hidden rounded-xl bg-raised shadow-modal">
        <Dialog aria-label="Find a page, an object or an ID" className="flex max-h-[64vh] flex-col outline-none">
          <Autocomplete inputValue={text} onInputChange={setText} filter={isId ? () => true : contains}>
            <SearchField aria-label="Find" autoFocus className="flex items-center gap-2.5 border-b border-line px-4">
              <Search aria-hidden size={16} className="shrink-0 text-muted" />
              <Input
                placeholder="Find anything by name, address or ID"
                onKeyDownCapture={chooseFocused}
                className="h-12 min-w-0 flex-1 bg-transparent text-lg outline-none placeholder:text-faint [&::-webkit-search-cancel-button]:hidden"
              />
            </SearchField>
            {/* The focus stays in the field, so the scrolling list must be reachable on its own without a mouse. */}
            <div role="region" aria-label="Results" tabIndex={0} className="min-h-0 overflow-auto">
              <Menu
                aria-label="Pages and objects"
                className="p-1.5 outline-none"
                renderEmptyState={() => <p className="px-3 py-6 text-center text-muted">{EMPTY[state]}</p>}
              >
                {isId ? (
                  <MenuItem id="open-id" textValue={id} className={ITEM} onAction={() => open.id(id)}>
                    <CornerDownLeft aria-hidden size={16} className="text-muted" />
                    <span className="min-w-0 flex-1">
                      Open <code className="text-sm break-all">{id}</code>
                    </span>
                  </MenuItem>
                ) : (
                  PAGES.map((page) => (
                    <MenuItem
                      key={page.to}
                      id={page.to}
                      textValue={`${page.label} ${page.also ?? ""}`}
                      className={ITEM}
                      onAction={() => open.path(page.to)}
                    >
                      <page.icon aria-hidden size={16} className="text-muted" />
                      {page.label}
                    </MenuItem>
                  ))
                )}
                {results.map((result) => (
                  <MenuItem
                    key={`${result.kind} ${result.id}`}
                    id={`${result.kind} ${result.id}`}
                    // The service has found it, so that the field's own filter lets it pass.
                    textValue={`${result.title} ${result.detail ?? ""} ${id}`}
                    className={ITEM}
                    onAction={() => open.path(pathOf(result))}
                  >
                    <Search aria-hidden size={16} className="shrink-0 text-muted" />
                    <span className="flex min-w-0 flex-1 flex-col">
                      <bdi className="truncate">{result.title}</bdi>
                      {result.detail === null ? null : (
                        <bdi className="truncate text-sm text-muted">{result.detail}</bdi>
                      )}
                    </span>
                    <span className="shrink-0 text-sm text-muted">{KINDS[result.kind]}</span>
                  </MenuItem>
                ))}
              </Menu>
            </div>
          </Autocomplete>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

const ITEM = "flex items-center gap-3 rounded-md px-3 py-2 outline-none data-[focused]:bg-hover";

const EMPTY = {
  searching: "Searching…",
  failed: "The search failed. Try again.",
  done: "No matching page, object or ID.",
} as const;

const KINDS: Readonly<Record<wire.SearchResult["kind"], string>> = {
  webhook_endpoint: "Endpoint",
  inbound_endpoint: "Source",
  event_type: "Event type",
  event: "Event",
  rule: "Rule",
  workflow: "Workflow",
  action_contract: "Action",
  contact: "Contact",
  ticket: "Ticket",
  api_key: "API key",
  member: "Member",
};

function pathOf({ kind, id }: wire.SearchResult): string {
  if (kind === "event_type") return paths.eventType(id);
  return kind === "action_contract" ? paths.action(id) : (pathOfId(id) ?? "/");
}

const NONE: readonly wire.SearchResult[] = [];
/** The pause in typing after which the service searches. */
const PAUSE_MS = 150;
const SHORTEST = 2;

/** Searches for a text once typing pauses. */
function useSearch(text: string): {
  readonly results: readonly wire.SearchResult[];
  readonly state: keyof typeof EMPTY;
} {
  const [q, setQ] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setQ(text.slice(0, 200)), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const isLong = q.length >= SHORTEST && text.length >= SHORTEST;
  const found = useQuery({ ...read("search.list", { query: { q } }), enabled: isLong });
  if (text.length < SHORTEST) return { results: NONE, state: "done" };
  if (found.isError) return { results: NONE, state: "failed" };
  const isWaiting = q !== text.slice(0, 200) || found.isPending;
  return { results: isLong ? (found.data?.data ?? NONE) : NONE, state: isWaiting ? "searching" : "done" };
}

function useOpen(onClose: () => void) {
  const navigate = useNavigate();
  const { environment, switchEnvironment } = useSession();
  return {
    path: (to: string) => {
      onClose();
      void navigate({ to });
    },
    id: (id: string) => {
      const other = environmentOfId(id);
      // Members, contracts and the workspace itself belong to both environments. Their ids are live ones.
      if (other !== null && other !== environment) switchEnvironment(other);
      onClose();
      void navigate({ to: pathOfId(id) ?? "/" });
    },
  };
}
