/** The help pane. The first line is what there is room for when the pane is not selected. */
export const HELP_LINES: readonly string[] = [
  'tab switch pane · ↑ ↓ scroll · e event · s snapshot · d diff · f YAML/JSON · q quit',
  'tab, shift-tab   select the next or the previous pane',
  '↑ ↓ (k j)        select an event, or scroll the selected pane',
  '← → (h l)        move the raw event sideways',
  'PgUp PgDn        up and down by a page; Home and End go to the ends',
  'e                show the selected event as it came',
  's                show the latest snapshot at or before the selected event',
  'd                show what changed between that snapshot and the one before it',
  'f                switch between YAML and JSON',
  'q, Esc, Ctrl-C   quit',
];
