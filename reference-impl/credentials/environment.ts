/** Where the variables of the process are looked up. */
export type Environment = Readonly<Record<string, string | undefined>>;
