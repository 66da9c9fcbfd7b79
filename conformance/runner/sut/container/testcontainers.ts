import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

// As much of the package testcontainers as is used. Only who tests containers installs it, so its own types are not at hand here.

/** A container that has not been started. */
export interface Planned {
  readonly withNetworkMode: (mode: string) => Planned;
  readonly withUser: (user: string) => Planned;
  readonly withCommand: (command: readonly string[]) => Planned;
  readonly withEnvironment: (environment: Readonly<Record<string, string>>) => Planned;
  readonly withBindMounts: (mounts: readonly Mount[]) => Planned;
  readonly withAutoCleanup: (on: boolean) => Planned;
  readonly withWaitStrategy: (strategy: WaitStrategy) => Planned;
  readonly withLogConsumer: (consume: (lines: NodeJS.ReadableStream) => void) => Planned;
  readonly start: () => Promise<{ readonly getId: () => string }>;
}

/** A folder or file of this machine inside of a container. */
export interface Mount {
  readonly source: string;
  readonly target: string;
  readonly mode: 'ro' | 'rw';
}

/** When a container counts as started. */
export interface WaitStrategy {
  readonly waitUntilReady: () => Promise<void>;
  readonly withStartupTimeout: () => WaitStrategy;
  readonly isStartupTimeoutSet: () => boolean;
  readonly getStartupTimeout: () => number;
}

/** A container as its engine knows it. */
export interface Running {
  readonly wait: () => Promise<{ readonly StatusCode: number }>;
  readonly kill: (options: { readonly signal: string }) => Promise<unknown>;
  readonly remove: (options: { readonly force: boolean; readonly v: boolean }) => Promise<unknown>;
}

/** The package. */
export interface Testcontainers {
  readonly GenericContainer: new (image: string) => Planned;
  readonly getContainerRuntimeClient: () => Promise<{
    readonly container: { readonly getById: (id: string) => Running };
  }>;
}

/** The package as the project in `folder` has it, or as this one has; undefined where nobody installed it. */
export async function loadTestcontainers(folder: string): Promise<Testcontainers | undefined> {
  for (const base of [path.join(folder, 'implementation.yaml'), import.meta.filename]) {
    const file = resolveFrom(base);
    if (file === undefined) continue;
    const loaded: unknown = await import(pathToFileURL(file).href);
    if (isTestcontainers(loaded)) return loaded;
  }
  return undefined;
}

function resolveFrom(base: string): string | undefined {
  try {
    return createRequire(base).resolve('testcontainers');
  } catch {
    return undefined;
  }
}

function isTestcontainers(loaded: unknown): loaded is Testcontainers {
  return (
    typeof loaded === 'object' &&
    loaded !== null &&
    'GenericContainer' in loaded &&
    'getContainerRuntimeClient' in loaded
  );
}
