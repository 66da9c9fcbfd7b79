/** The effort a client asks for, as the tokens that models of provider 4 may think with. docs/decisions/ai-formats.md */
export const THINKING_BUDGETS: Readonly<Record<string, number>> = {
  minimal: 1024,
  low: 1024,
  medium: 2048,
  high: 4096,
  xhigh: 8192,
  max: 16384,
};
