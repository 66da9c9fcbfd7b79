import type { ReportFile } from '../report-schema.ts';

/** A clause as the page shows it. */
export interface PageClause {
  readonly level: string;
  readonly statement: string;
  /** `CFG line 319`. */
  readonly source: string;
}

/** Everything that report.html shows; it stands in the page itself. */
export interface PageData {
  /** One report, or several side by side. */
  readonly reports: readonly ReportFile[];
  /** Every clause of the register by its id, in the order of the areas. */
  readonly clauses: Readonly<Record<string, PageClause>>;
  readonly areas: readonly { readonly area: string; readonly title: string }[];
  /** The texts of the case files by the names that the reports use; a file that is not there has none. */
  readonly sources: Readonly<Record<string, string>>;
}
