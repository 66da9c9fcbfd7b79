// The trace command as a program of its own, for tests that need a real process.
import { Command } from 'commander';
import { addTraceCommand } from '../../cli/commands/trace.ts';

const program = new Command('refproxy');
addTraceCommand(program);
await program.parseAsync();
