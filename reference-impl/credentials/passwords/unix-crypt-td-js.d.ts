/** The package brings no types. Bytes in, text out; `salt` is two characters, of a stored hash for example. */
declare module 'unix-crypt-td-js' {
  const crypt: (password: readonly number[] | string, salt: string) => string;
  export default crypt;
}
