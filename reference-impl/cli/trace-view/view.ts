import { systemClock } from '../../base/clock.ts';
import { layoutOf } from './layout.ts';
import { type Action, START } from './model.ts';
import { reduce } from './reduce.ts';
import { render } from './render.ts';
import { openScreen, type Screen } from './screen.ts';
import type { Terminal } from './terminal.ts';

/** The model on a terminal: what changes it is drawn, what the user types changes it. */
export interface View {
  /** Takes the terminal over. */
  readonly open: () => void;
  readonly isOpen: () => boolean;
  readonly dispatch: (action: Action) => void;
  /** Resolves when the user wants to leave. */
  readonly quit: Promise<void>;
  /** Gives the terminal back. Safe to call more than once. */
  readonly close: () => void;
}

export function createView(terminal: Terminal): View {
  const { promise: quit, resolve: leave } = Promise.withResolvers<void>();
  let model = START;
  let screen: Screen | undefined;
  let cancelDraw: (() => void) | undefined;

  const draw = (): void => {
    cancelDraw = undefined;
    screen?.draw(render(model, terminal.size()));
  };
  const dispatch = (action: Action): void => {
    model = reduce(model, action);
    if (model.quit) leave();
    // Many events come at once: one drawing for all of them.
    cancelDraw ??= systemClock.after(FRAME_MS, draw);
  };
  const close = (): void => {
    cancelDraw?.();
    screen?.close();
    screen = undefined;
    terminal.release();
  };
  const open = (): void => {
    screen = openScreen(terminal.write);
    terminal.take({
      key: (key) => {
        const heights = layoutOf(terminal.size(), model.pane);
        dispatch({ kind: 'key', key, page: Math.max(1, heights[model.pane] - 2) });
      },
      resized: () => {
        screen?.invalidate();
        draw();
      },
      gone: leave,
      killed: close,
    });
    draw();
  };
  return { open, isOpen: () => screen !== undefined, dispatch, quit, close };
}

const FRAME_MS = 16;
