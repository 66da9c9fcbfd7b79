#!/bin/sh
# through-a-server.sh PATTERN...: runs cases on the reference behind a real API server, all of it in a network namespace of its own.
# Takes root, Linux, kubectl, Go (for the definitions of the Gateway API) and the two programs that `npm run real-api-server` builds; they may
# also lie in the folder that API_SERVER_PROGRAMS names. README.md beside this file says what happens here.
set -eu
script=$(realpath "$0")
cd "$(dirname "$script")/../.."
if [ "${1:-}" != --inside ]; then
  # Inside nothing is to be reached, and whoever brings the programs along may lack the definitions.
  go -C docs/tools/real-api-server mod download sigs.k8s.io/gateway-api
  exec unshare --net --mount "$script" --inside "$@"
fi
shift
programs=${API_SERVER_PROGRAMS:-.cache/real-api-server}
address=198.51.100.1
ip link set lo up
ip addr add "$address/32" dev lo

. examples/lib/api-server.sh
tidy() { rm -f examples/api-server/kubeconfig; }
export KUBECONFIG=examples/api-server/kubeconfig
# Cases about names need one that leads to the peers.
{ cat /etc/hosts; echo "$address peers.test"; } >"$dir/hosts"
mount --bind "$dir/hosts" /etc/hosts
# Nobody makes accounts for Pods here.
start_api_server "$programs" "$address" ServiceAccount

gateway=$(go -C docs/tools/real-api-server list -m -f '{{.Dir}}' sigs.k8s.io/gateway-api)
kubectl apply -f reference-impl/crds >/dev/null
for kind in gatewayclasses gateways httproutes listenersets referencegrants; do
  kubectl apply --server-side -f "$gateway/config/crd/experimental/gateway.networking.k8s.io_$kind.yaml" >/dev/null
done
# Of the Gateway API's inference extension, where somebody has it: the cases about pools are red without.
[ -z "${INFERENCE_DEFINITIONS:-}" ] || kubectl apply --server-side -f "$INFERENCE_DEFINITIONS" >/dev/null
kubectl wait --for condition=established --timeout 60s crd --all >/dev/null

mkdir "$dir/followed"
start follow node examples/api-server/follow.mjs "$dir/followed/all.yaml" conf-
# What the reference finds of clouds in its environment, and the adapter says that it does; the platform is where peers.platform of the manifest says.
echo a.b.c >"$dir/token"
platform=$address:18999
export AWS_ACCESS_KEY_ID=AKIDDISCOVERED AWS_SECRET_ACCESS_KEY=found-by-discovery AWS_ENDPOINT_URL_STS="http://$platform"
export AZURE_AUTHORITY_HOST="http://$platform" AZURE_CLIENT_ID=client-of-the-platform AZURE_TENANT_ID=tenant-of-the-platform
export AZURE_FEDERATED_TOKEN_FILE="$dir/token" IDENTITY_ENDPOINT="http://$platform/msi/token" IDENTITY_HEADER=header-of-the-identity
export GCE_METADATA_HOST="$platform"
start reference node bin/refproxy.mjs serve --config "$dir/followed" --listen-address 0.0.0.0 --admin-port 15900 \
  --stats-port 15920
start statuses node examples/api-server/statuses.mjs http://127.0.0.1:15900 "$address"
if [ -n "${NEIGHBOUR:-}" ]; then
  openssl req -x509 -newkey rsa:2048 -nodes -keyout "$dir/neighbour.key" -out "$dir/neighbour.crt" -subj /CN=neighbour \
    -addext subjectAltName=IP:127.0.0.1 2>/dev/null
  start neighbour node examples/api-server/neighbour.mjs "$dir/neighbour.key" "$dir/neighbour.crt"
fi
node bin/conform.mjs run --impl "examples/api-server/${MANIFEST:-implementation.yaml}" --out reports/latest/api-server "$@"
