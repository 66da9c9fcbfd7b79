/** The part of autocannon the soak uses; the package brings no types. */
declare module 'autocannon' {
  export interface LoadRequest {
    readonly method: string;
    readonly path: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly onResponse?: (status: number, body: string) => void;
  }
  export interface LoadOptions {
    readonly url: string;
    readonly connections: number;
    /** Seconds. */
    readonly duration: number;
    /** Seconds one answer may take. */
    readonly timeout: number;
    readonly requests: readonly LoadRequest[];
  }
  export interface LoadResult {
    readonly errors: number;
    readonly timeouts: number;
  }
  export default function autocannon(options: LoadOptions): Promise<LoadResult>;
}
