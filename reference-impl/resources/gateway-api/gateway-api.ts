/** Group and versions of the Gateway API kinds the proxy reads. */
export const GATEWAY_API_GROUP = 'gateway.networking.k8s.io';
export const GATEWAY_API_V1 = `${GATEWAY_API_GROUP}/v1` as const;
export const GATEWAY_API_V1BETA1 = `${GATEWAY_API_GROUP}/v1beta1` as const;
