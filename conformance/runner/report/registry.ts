import { reportDocuments } from './documents/registry.ts';
import type { ReporterKind } from './events.ts';
import { consoleReporter } from './reporters/console.ts';
import { documentReporter } from './reporters/document.ts';
import { eventsReporter } from './reporters/events.ts';
import { failuresReporter } from './reporters/failures.ts';
import { githubReporter } from './reporters/github.ts';
import { jsonReporter } from './reporters/json.ts';
import { junitReporter } from './reporters/junit.ts';

/** Every kind of report by its name. */
export const reporterKinds: Readonly<Record<string, ReporterKind>> = Object.fromEntries(
  [
    consoleReporter,
    eventsReporter,
    failuresReporter,
    githubReporter,
    jsonReporter,
    junitReporter,
    ...Object.values(reportDocuments).map(documentReporter),
  ].map((kind) => [kind.name, kind]),
);

/** What a run writes unless told otherwise, and in which order: where the disk gets full, verdicts are worth most. */
export const defaultReporters: readonly string[] = [
  'console',
  'events',
  'json',
  'junit',
  'markdown',
  'failures',
  'html',
];
