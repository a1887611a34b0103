import { useNavigate } from "@tanstack/react-router";
import { CornerDownLeft, Search } from "lucide-react";
import { useState } from "react";
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
import { environmentOfId } from "../api/api.ts";
import { pathOfId } from "../paths.ts";
import { useSession } from "../session/session.ts";
import { chooseFocused } from "../ui/ui.ts";
import { otherPages, pages } from "./navigation.ts";
import type { NavItem } from "./navigation.ts";

const PAGES: readonly NavItem[] = [...pages, ...otherPages];

/** Finds a page by its name, and opens the object of an id in its environment. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState("");
  const { contains } = useFilter({ sensitivity: "base" });
  const open = useOpen(onClose);
  const id = text.trim();
  const isId = pathOfId(id) !== null && environmentOfId(id) !== null;
  return (
    <ModalOverlay
      isOpen
      isDismissable
      onOpenChange={(isOpen) => (isOpen ? undefined : onClose())}
      className="anim-fade fixed inset-0 z-40 flex items-start justify-center bg-scrim p-4 pt-[12vh]"
    >
      <Modal className="anim-pop w-full max-w-xl overflow-hidden rounded-xl bg-raised shadow-modal">
        <Dialog aria-label="Find a page or open an ID" className="flex max-h-[64vh] flex-col outline-none">
          <Autocomplete inputValue={text} onInputChange={setText} filter={isId ? () => true : contains}>
            <SearchField aria-label="Find" autoFocus className="flex items-center gap-2.5 border-b border-line px-4">
              <Search aria-hidden size={16} className="shrink-0 text-muted" />
              <Input
                placeholder="Find a page or paste an ID"
                onKeyDownCapture={chooseFocused}
                className="h-12 min-w-0 flex-1 bg-transparent text-lg outline-none placeholder:text-faint [&::-webkit-search-cancel-button]:hidden"
              />
            </SearchField>
            {/* The focus stays in the field, so the scrolling list must be reachable on its own without a mouse. */}
            <div role="region" aria-label="Results" tabIndex={0} className="min-h-0 overflow-auto">
              <Menu
                aria-label="Pages"
                className="p-1.5 outline-none"
                renderEmptyState={() => <p className="px-3 py-6 text-center text-muted">No matching page or ID.</p>}
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
              </Menu>
            </div>
          </Autocomplete>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

const ITEM = "flex items-center gap-3 rounded-md px-3 py-2 outline-none data-[focused]:bg-hover";

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
