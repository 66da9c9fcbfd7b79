import { killAll } from '../sut/child.ts';
import { ReportLost } from '../report/write-report.ts';
import { ImplementationFault, UsageFault } from '../sut/session.ts';
import { EXIT, type ExitCode } from '../verdict/exit-code.ts';

/**
 * Says what was thrown out of a command and gives its exit code. Programs that were started on the way are ended: they would keep this
 * one from ending.
 */
export function reportFault(error: unknown): ExitCode {
  process.stderr.write(`${faultText(error)}\n`);
  killAll();
  return faultExitCode(error);
}

/** What to print for something thrown out of a command: a fault of the runner shows where it happened. */
export function faultText(error: unknown): string {
  if (error instanceof UsageFault || error instanceof ImplementationFault || error instanceof ReportLost)
    return error.message;
  // A full disk or a missing permission is the machine's: its own words say it better than a stack.
  if (error instanceof Error && 'syscall' in error) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Exit code for something thrown out of a command. */
export function faultExitCode(error: unknown): ExitCode {
  return error instanceof UsageFault ? EXIT.usage : EXIT.broken;
}
