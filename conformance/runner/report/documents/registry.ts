import { badgeDocument } from './badge.ts';
import type { ReportDocument } from './document.ts';
import { htmlDocument } from './html.ts';
import { markdownDocument } from './markdown.ts';
import { resultDocument } from './result.ts';
import { sarifDocument } from './sarif.ts';

/** Every document that is made of a report, by its name. */
export const reportDocuments: Readonly<Record<string, ReportDocument>> = Object.fromEntries(
  [markdownDocument, htmlDocument, resultDocument, sarifDocument, badgeDocument].map((document) => [
    document.name,
    document,
  ]),
);
