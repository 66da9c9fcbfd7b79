import { build } from 'vite';

/** A page in the two pieces it is made of. */
export interface BundledPage {
  readonly code: string;
  readonly style: string;
}

/** Builds the page whose `index.html` is in the folder into one script and one style sheet. Throws when it comes to more. */
export async function bundlePage(root: string): Promise<BundledPage> {
  const built = await build({
    root,
    configFile: false,
    logLevel: 'error',
    build: { write: false, target: 'es2024', modulePreload: false },
  });
  const outputs = [built].flat().flatMap((one) => ('output' in one ? one.output : []));
  const code = outputs.flatMap((one) => (one.type === 'chunk' ? [one.code] : [])).join('');
  const style = outputs.flatMap((one) =>
    one.fileName.endsWith('.css') && 'source' in one ? [String(one.source)] : [],
  );
  if (code === '' || style.length === 0 || code.includes('</script'))
    throw new Error(`${root}: did not build as one script`);
  return { code: code.trim(), style: style.join('').trim() };
}
