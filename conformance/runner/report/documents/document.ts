import type { ClauseText } from '../events.ts';
import type { ReportFile } from '../report-schema.ts';

/** What a document may say beside the report itself. */
export interface DocumentContext {
  readonly clause: (id: string) => ClauseText | undefined;
}

/** A text made of a report alone, so that it can be made again from a kept one. Adding one is one file and one row in registry.ts. */
export interface ReportDocument {
  readonly name: string;
  /** Its file below the folder of reports. */
  readonly file: string;
  readonly text: string;
  readonly render: (report: ReportFile, context: DocumentContext) => string | Promise<string>;
}
