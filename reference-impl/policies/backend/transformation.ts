/** `backend.transformation`: the same for requests on the way to one backend (XFORM-006). */
export { transformMessage as transformation } from '../transform-message.ts';
