/** The format's words for the neutral ones. */
export const FINISH: Readonly<Record<string, string>> = {
  stop: 'stop',
  length: 'length',
  tools: 'tool_calls',
  filter: 'content_filter',
};
