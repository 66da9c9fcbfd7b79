import { Buffer } from 'node:buffer';

/** Where the value of a field stands in a form. */
export interface FormField {
  readonly value: string;
  /** Bytes of the form, `end` exclusive. */
  readonly start: number;
  readonly end: number;
}

/** The boundary of a form; undefined for any other content type. */
export function formBoundary(contentType: string | undefined): string | undefined {
  const match = /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(
    contentType ?? '',
  );
  return match?.[1] ?? match?.[2];
}

/** The fields of the form that have this name and are no files. Never throws. */
export function formFields(form: Uint8Array, boundary: string, name: string): readonly FormField[] {
  const bytes = Buffer.from(form.buffer, form.byteOffset, form.byteLength);
  const delimiter = Buffer.from(`--${boundary}`);
  const nextDelimiter = Buffer.concat([LINE_END, delimiter]);
  const fields: FormField[] = [];
  let at = bytes.indexOf(delimiter);
  while (at >= 0) {
    const head = at + delimiter.length;
    const blank = bytes.indexOf(BLANK_LINE, head);
    const start = blank + BLANK_LINE.length;
    // A part without content ends where its head does.
    const next = blank < 0 ? -1 : bytes.indexOf(nextDelimiter, start - LINE_END.length);
    if (next < 0) break;
    const end = Math.max(start, next);
    if (isField(bytes.toString('latin1', head, blank), name)) {
      fields.push({ value: bytes.toString('utf8', start, end), start, end });
    }
    at = next + LINE_END.length;
  }
  return fields;
}

const BLANK_LINE = Buffer.from('\r\n\r\n');
const LINE_END = Buffer.from('\r\n');

function isField(head: string, name: string): boolean {
  const disposition = /^content-disposition:\s*form-data\b(.*)$/im.exec(head)?.[1] ?? '';
  const named = /;\s*name=(?:"([^"]*)"|([^\s;"]+))/i.exec(disposition);
  return (named?.[1] ?? named?.[2]) === name && !/;\s*filename\*?=/i.test(disposition);
}
