import type { ReactNode } from "react";
import { Tab, TabList, TabPanel, Tabs as AriaTabs } from "react-aria-components";

export interface TabItem {
  readonly id: string;
  readonly label: ReactNode;
  readonly content: ReactNode;
}

export interface TabsProps {
  readonly label: string;
  readonly tabs: readonly TabItem[];
  /** Keep it in the URL: `useUrlState("tab", "overview")`. */
  readonly selected: string;
  readonly onSelect: (id: string) => void;
}

/**
 * A strip of tabs, which scrolls sideways alone: the line below is drawn inside, because a tab that reaches out of the strip gives it a
 * vertical scrollbar too.
 */
const TAB_STRIP = "flex gap-1 overflow-x-auto overflow-y-hidden shadow-[inset_0_-1px_var(--line)]";

export function Tabs({ label, tabs, selected, onSelect }: TabsProps) {
  return (
    <AriaTabs selectedKey={selected} onSelectionChange={(key) => onSelect(String(key))}>
      <TabList aria-label={label} className={TAB_STRIP}>
        {tabs.map((tab) => (
          <Tab
            key={tab.id}
            id={tab.id}
            className="border-b-2 border-transparent px-2.5 py-2 text-base whitespace-nowrap text-muted outline-none data-[focus-visible]:rounded-sm data-[focus-visible]:outline-2 data-[focus-visible]:-outline-offset-2 data-[focus-visible]:outline-accent data-[hovered]:text-ink data-[selected]:border-accent data-[selected]:font-medium data-[selected]:text-ink"
          >
            {tab.label}
          </Tab>
        ))}
      </TabList>
      {tabs.map((tab) => (
        <TabPanel key={tab.id} id={tab.id} className="pt-4 outline-none">
          {tab.content}
        </TabPanel>
      ))}
    </AriaTabs>
  );
}
