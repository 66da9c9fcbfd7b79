import type { Format, FormatName } from '../format.ts';
import { completions } from './completions.ts';
import { embeddings } from './embeddings.ts';
import { messages } from './messages.ts';
import { responses } from './responses.ts';

export const FORMATS: Readonly<Record<FormatName, Format>> = { completions, messages, responses, embeddings };
