/** The input of an operation asks for something that cannot be answered; the message says why. */
export class OperationError extends Error {
  override readonly name = 'OperationError';
}
