const GROUPS = 8;
const NETWORK_GROUPS = 4;

/**
 * Whose address that is, as far as an address tells: the first 64 bits of one of IPv6, of which a client has as many as it likes
 * (RFC 4291, section 2.5.4), and any other as it is. docs/decisions/client-credentials.md
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [before = '', after] = address.split('::');
  const leading = groupsOf(before);
  const trailing = groupsOf(after ?? '');
  const zeros = Array.from({ length: GROUPS - leading.length - trailing.length }, () => '0');
  const network = [...leading, ...zeros, ...trailing].slice(0, NETWORK_GROUPS);
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

/** An IPv4 address at the end is two groups that the network never reaches. */
function groupsOf(text: string): readonly string[] {
  return text === '' ? [] : text.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]));
}
