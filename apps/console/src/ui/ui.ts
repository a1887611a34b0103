export { Badge, StatusLight } from "./badge.tsx";
export type { Tone } from "./badge.tsx";
export { Button, IconButton } from "./button.tsx";
export type { ButtonProps } from "./button.tsx";
export { Chart } from "./chart.tsx";
export type { ChartSeries } from "./chart.tsx";
export { Checkbox, ComboBox, optionsOf, RadioGroup, Select, Switch } from "./choice.tsx";
export type { ComboBoxProps, Option } from "./choice.tsx";
export { chooseFocused } from "./choose-focused.ts";
export { cx } from "./class-names.ts";
export { Code, CodeBlock } from "./code.tsx";
export { CopiedId, CopyButton, copyText } from "./copy.tsx";
export { ConfirmDialog, Dialog } from "./dialog.tsx";
export { TextField } from "./field.tsx";
export type { TextFieldProps } from "./field.tsx";
export { deferred } from "./deferred.tsx";
export { Disclosure } from "./disclosure.tsx";
export { FormDialog } from "./form-dialog.tsx";
export { FilterBar } from "./filter-bar.tsx";
export type { FilterField } from "./filter-bar.tsx";
export { fieldError, Form } from "./form.tsx";
export { useGridSelection } from "./grid-keys.ts";
export { childPath, prettyJson, readJson } from "./json-nodes.ts";
export type { JsonNode } from "./json-nodes.ts";
export { JsonTree } from "./json-tree.tsx";
export { KeyCap } from "./key-cap.tsx";
export { labelOf, labelsOf, wordsOf } from "./labels.ts";
export { Card, KeyValue, PageHeader } from "./layout.tsx";
export type { KeyValueRow } from "./layout.tsx";
export { ExternalLink, IdLink, Link, ServiceLink } from "./link.tsx";
export { Logo } from "./logo.tsx";
export { Menu } from "./menu.tsx";
export type { MenuAction } from "./menu.tsx";
export { Meter } from "./meter.tsx";
export { NavigationContext, PlaceContext, useNavigate } from "./navigation.ts";
export type { AnchorProps, LeavingGuardProps, Navigation, Target } from "./navigation.ts";
export { SecretOnce, SecretText } from "./secret-once.tsx";
export { ResourceList, sinceFilter, useFilterQuery } from "./resource-list.tsx";
export { ResourcePage } from "./resource-page.tsx";
export { SearchList } from "./search-list.tsx";
export { Segmented } from "./segmented.tsx";
export { ShowAs } from "./show-as.tsx";
export { Spinner } from "./spinner.tsx";
export {
  EmptyState,
  ErrorNote,
  ErrorState,
  Loaded,
  LoadedPages,
  messageOf,
  NoPermission,
  Skeleton,
} from "./states.tsx";
export { Table } from "./table.tsx";
export type { TableColumn } from "./table.tsx";
export { TagInput } from "./tag-input.tsx";
export { rangeStart, timeRanges } from "./time-range.ts";
export { Tabs } from "./tabs.tsx";
export type { TabItem } from "./tabs.tsx";
export { useCreating } from "./creating.tsx";
export { AbsoluteTime, RelativeTime, relativeText, useNow } from "./time.tsx";
export { useTitle } from "./title.ts";
export { toast, toastError, toastOutcome, ToastRegion, toastSuccess } from "./toast.tsx";
export { ConfirmButton } from "./confirm-button.tsx";
export { HintTooltip, Tooltip } from "./tooltip.tsx";
export { UnsavedWarning, useDraft } from "./unsaved.tsx";
export type { Draft } from "./unsaved.tsx";
export { useFilters, useIsFiltered, usePathParameter, useUrlState } from "./url-state.ts";
export type { Filters } from "./url-state.ts";
export { VirtualGrid } from "./virtual-grid.tsx";
export type { GridColumn, GridSelection } from "./virtual-grid.tsx";
export { bindFields, trimmed, useWireForm, wholeNumberFaults } from "./wire-fields.ts";
export type { WireFields } from "./wire-fields.ts";
