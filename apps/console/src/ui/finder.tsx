import { Search } from "lucide-react";
import {
  Autocomplete,
  Collection,
  Header,
  Input,
  Menu,
  MenuItem,
  MenuSection,
  SearchField,
  useFilter,
} from "react-aria-components";

export interface FinderItem {
  readonly id: string;
  readonly label: string;
  readonly detail: string;
}

export interface FinderGroup {
  readonly id: string;
  readonly label: string;
  readonly items: readonly FinderItem[];
}

export interface FinderProps {
  /** Names the list: "Senders". */
  readonly label: string;
  readonly placeholder: string;
  readonly groups: readonly FinderGroup[];
  readonly onPick: (id: string) => void;
  /** Shown if nothing matches the search. */
  readonly empty: string;
}

/** A list with many items in groups and a search field. Arrow keys move in the list while the focus stays in the field. */
export function Finder({ label, placeholder, groups, onPick, empty }: FinderProps) {
  const { contains } = useFilter({ sensitivity: "base" });
  return (
    <div className="flex min-h-0 flex-col rounded-lg border border-line">
      <Autocomplete filter={contains}>
        <SearchField
          aria-label={placeholder}
          autoFocus
          className="flex items-center gap-2 border-b border-line px-3 data-[focus-within]:border-accent"
        >
          <Search aria-hidden size={15} className="shrink-0 text-muted" />
          <Input
            placeholder={placeholder}
            className="h-9 min-w-0 flex-1 bg-transparent text-base outline-none placeholder:text-faint [&::-webkit-search-cancel-button]:hidden"
          />
        </SearchField>
        {/* The focus stays in the field, so the scrolling list must be reachable on its own without a mouse. */}
        <div role="region" aria-label={`List: ${label}`} tabIndex={0} className="max-h-80 min-h-0 overflow-auto">
          <Menu
            aria-label={label}
            items={groups}
            className="p-1.5 outline-none"
            onAction={(id) => onPick(String(id))}
            renderEmptyState={() => <p className="px-3 py-6 text-center text-muted">{empty}</p>}
          >
            {(group) => (
              <MenuSection id={`group ${group.id}`}>
                <Header className="px-2.5 pt-2 pb-1 text-xs font-medium text-muted">{group.label}</Header>
                <Collection items={group.items}>
                  {(item) => (
                    <MenuItem
                      id={item.id}
                      textValue={`${item.label} ${item.detail} ${group.label}`}
                      className="flex flex-col rounded-md px-2.5 py-1.5 outline-none data-[focused]:bg-hover"
                    >
                      <span className="text-base font-medium">{item.label}</span>
                      <span className="text-sm text-muted">{item.detail}</span>
                    </MenuItem>
                  )}
                </Collection>
              </MenuSection>
            )}
          </Menu>
        </div>
      </Autocomplete>
    </div>
  );
}
