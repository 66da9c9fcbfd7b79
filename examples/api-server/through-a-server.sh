#!/bin/sh
# through-a-server.sh PATTERN...: runs cases on the reference behind a real API server, all of it in a network namespace of its own.
# Takes root, Linux, kubectl, Go (for the definitions of the Gateway API) and the two programs that `npm run real-api-server` builds; they may
# also lie in the folder that API_SERVER_PROGRAMS names. README.md beside this file says what happens here.
set -eu
script=$(realpath "$0")
[ "${1:-}" = --inside ] || exec unshare --net "$script" --inside "$@"
shift
cd "$(dirname "$script")/../.."
programs=${API_SERVER_PROGRAMS:-.cache/real-api-server}
address=198.51.100.1
ip link set lo up
ip addr add "$address/32" dev lo

dir=$(mktemp -d)
started=
# Their state is thrown away, so nobody waits until they have tidied up.
leave() {
  # shellcheck disable=SC2086
  [ -z "$started" ] || kill -KILL $started 2>/dev/null || true
  wait
  rm -rf "$dir" examples/api-server/kubeconfig
}
trap leave EXIT
trap 'exit 1' INT TERM
start() {
  name=$1
  shift
  "$@" >"$dir/$name.log" 2>&1 &
  started="$! $started"
}

openssl genrsa -out "$dir/accounts.pem" 2048 2>/dev/null
token=$(openssl rand -hex 16)
echo "$token,admin,1,\"system:masters\"" >"$dir/tokens.csv"
start etcd "$programs/etcd" --data-dir "$dir/etcd" --unsafe-no-fsync
start api-server "$programs/kube-apiserver" --etcd-servers http://127.0.0.1:2379 --bind-address 127.0.0.1 --secure-port 6443 \
  --advertise-address "$address" --endpoint-reconciler-type none --cert-dir "$dir/certificates" --service-account-issuer https://local \
  --service-account-key-file "$dir/accounts.pem" --service-account-signing-key-file "$dir/accounts.pem" \
  --service-cluster-ip-range 10.96.0.0/16 --token-auth-file "$dir/tokens.csv" --authorization-mode AlwaysAllow \
  --disable-admission-plugins NamespaceLifecycle,PodSecurity,ServiceAccount
export KUBECONFIG=examples/api-server/kubeconfig
(umask 077 && cat >"$KUBECONFIG") <<END
apiVersion: v1
kind: Config
current-context: local
contexts: [{ name: local, context: { cluster: local, user: admin } }]
clusters: [{ name: local, cluster: { server: 'https://127.0.0.1:6443', certificate-authority: '$dir/certificates/apiserver.crt' } }]
users: [{ name: admin, user: { token: $token } }]
END
tries=0
until kubectl get --raw /readyz >/dev/null 2>&1; do
  tries=$((tries + 1))
  [ $tries -lt 600 ] || { tail -5 "$dir/api-server.log" >&2; exit 1; }
  sleep 0.2
done

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
start reference node bin/refproxy.mjs serve --config "$dir/followed" --listen-address 0.0.0.0 --admin-port 15900
node bin/conform.mjs run --impl examples/api-server/implementation.yaml --out reports/latest/api-server "$@"
