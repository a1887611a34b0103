import { EmptyState, PageHeader } from "../../ui/ui.ts";

export function Screen() {
  return (
    <>
      <PageHeader title="Connectors" />
      <EmptyState title="This screen is being built." />
    </>
  );
}
