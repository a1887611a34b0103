import { Search } from "lucide-react";
import {
  Autocomplete,
  Header,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  ListBoxSection,
  SearchField,
  useFilter,
} from "react-aria-components";
import type { ReactNode } from "react";
import type { Option } from "./choice.tsx";
import { chooseFocused } from "./choose-focused.ts";
import { INPUT } from "./field.tsx";
import { cx } from "./class-names.ts";

export interface SearchListGroup {
  readonly label: string;
  readonly options: readonly Option[];
}

export interface SearchListProps {
  /** Label of the search field. */
  readonly label: string;
  /** Name of the list. */
  readonly listLabel: string;
  readonly placeholder: string;
  readonly groups: readonly SearchListGroup[];
  /** Shown if no option matches. */
  readonly empty: ReactNode;
  readonly onChoose: (value: string) => void;
}

/** Lets the user choose one of many options. Typing filters by label, detail and group; the arrow keys move, and Enter chooses. */
export function SearchList({ label, listLabel, placeholder, groups, empty, onChoose }: SearchListProps) {
  const { contains } = useFilter({ sensitivity: "base" });
  const matches = (text: string, typed: string): boolean => typed.split(/\s+/).every((word) => contains(text, word));
  return (
    <Autocomplete filter={matches}>
      <SearchField autoFocus className="flex flex-col gap-1">
        <Label className="text-sm font-medium text-ink">{label}</Label>
        <div className="relative">
          <Search
            aria-hidden
            size={15}
            className="pointer-events-none absolute inset-y-0 left-2.5 my-auto text-muted"
          />
          <Input
            placeholder={placeholder}
            onKeyDownCapture={chooseFocused}
            className={cx(INPUT, "h-8.5 pl-8 [&::-webkit-search-cancel-button]:hidden")}
          />
        </div>
      </SearchField>
      {/* The focus stays in the field, so the scrolling list must be reachable on its own without a mouse. */}
      <div
        role="region"
        aria-label={`Results: ${listLabel}`}
        tabIndex={0}
        className="mt-3 max-h-[48vh] overflow-auto rounded-lg border border-line"
      >
        <ListBox
          aria-label={listLabel}
          className="p-1.5 outline-none"
          onAction={(key) => onChoose(String(key))}
          renderEmptyState={() => <p className="px-3 py-6 text-center text-muted">{empty}</p>}
        >
          {groups.map((group) => (
            <ListBoxSection key={group.label} id={`group ${group.label}`}>
              <Header className="px-3 pt-3 pb-1 text-xs font-medium text-muted">{group.label}</Header>
              {group.options.map((option) => (
                <Item key={option.value} option={option} group={group.label} />
              ))}
            </ListBoxSection>
          ))}
        </ListBox>
      </div>
    </Autocomplete>
  );
}

function Item({ option, group }: { readonly option: Option; readonly group: string }) {
  return (
    <ListBoxItem
      id={option.value}
      textValue={`${option.label} ${option.detail ?? ""} ${group}`}
      className="flex cursor-default flex-col rounded-md px-3 py-1.5 outline-none data-[focused]:bg-hover data-[hovered]:bg-hover"
    >
      <span className="text-base font-medium">{option.label}</span>
      {option.detail === undefined ? null : <span className="text-sm text-muted">{option.detail}</span>}
    </ListBoxItem>
  );
}
