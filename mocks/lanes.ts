import { z } from 'zod';

/** Replies in their order; the last one repeats. Without any there is nothing to say, which is `{}`. */
export interface Lane<Reply> {
  readonly reply?: Reply | undefined;
  readonly replies?: readonly Reply[] | undefined;
}

/** What a script says to whom: the lanes of `on` are tried in order, then its own. */
export interface Lanes<Match, Reply> extends Lane<Reply> {
  readonly on?: readonly (Lane<Reply> & { readonly match: Match })[] | undefined;
}

/** How a chooser looks at a question. */
export interface Asking<Match, Question> {
  readonly matches: (match: Match, question: Question) => boolean;
  /** False for a question that uses up no reply, such as one that is refused whatever the script says. */
  readonly counts?: (question: Question) => boolean;
}

/** Chooses the reply to each question in order of arrival: that of the first lane that matches. A lane counts its own questions. */
export function createLaneChooser<Match, Reply, Question>(
  { on = [], ...own }: Lanes<Match, Reply>,
  { matches, counts = () => true }: Asking<Match, Question>,
): (question: Question) => Partial<Reply> {
  const seen = new Map<Lane<Reply>, number>();
  return (question) => {
    const lane = on.find(({ match }) => matches(match, question)) ?? own;
    const index = seen.get(lane) ?? 0;
    if (counts(question)) seen.set(lane, index + 1);
    return replyAt(lane.replies ?? (lane.reply === undefined ? [] : [lane.reply]), index);
  };
}

/** The reply to the question number `index`, counted from 0; the last reply repeats. */
export function replyAt<Reply>(replies: readonly Reply[], index: number): Partial<Reply> {
  return replies[Math.min(index, replies.length - 1)] ?? {};
}

type LaneShape<Reply extends z.ZodType> = {
  reply: z.ZodOptional<Reply>;
  replies: z.ZodOptional<z.ZodArray<Reply>>;
};

type LanesShape<Match extends z.ZodType, Reply extends z.ZodType> = LaneShape<Reply> & {
  on: z.ZodOptional<z.ZodArray<z.ZodObject<{ match: Match } & LaneShape<Reply>, z.core.$strict>>>;
};

/** The members of a script that has lanes. */
export function lanesShape<Match extends z.ZodType, Reply extends z.ZodType>(
  match: Match,
  reply: Reply,
): LanesShape<Match, Reply> {
  const lane: LaneShape<Reply> = {
    reply: reply.optional().describe('the answer to every request; what a peer says by itself when absent'),
    replies: z.array(reply).min(1).optional().describe('the answers in the order of requests; the last one repeats'),
  };
  return {
    ...lane,
    on: z
      .array(z.strictObject({ match: match.describe('which requests the lane takes: all of these'), ...lane }))
      .optional()
      .describe('answers of their own for requests that match; tried in order, and each lane counts its own requests'),
  };
}
