# Sourced by scripts that run cases behind a real API server, in a network namespace of their own: a folder $dir that goes in the end, programs that
# end with the script, and the server itself.
dir=$(mktemp -d)
started=
# What a script leaves elsewhere; it says so by a function of its own.
tidy() { :; }
# The state of the programs is thrown away, so nobody waits until they have tidied up.
leave() {
  tidy
  # shellcheck disable=SC2086
  [ -z "$started" ] || kill -KILL $started 2>/dev/null || true
  wait
  rm -rf "$dir"
}
trap leave EXIT
trap 'exit 1' INT TERM

# start NAME COMMAND...: in the background; what it says goes to $dir/NAME.log.
start() {
  name=$1
  shift
  "$@" >"$dir/$name.log" 2>&1 &
  started="$! $started"
}

# start_api_server FOLDER ADDRESS PLUGINS: etcd and kube-apiserver of that folder, at an address that is not loopback, without these admission plug-ins.
# Writes the file that KUBECONFIG names and returns when the server is ready.
start_api_server() {
  openssl genrsa -out "$dir/accounts.pem" 2048 2>/dev/null
  token=$(openssl rand -hex 16)
  echo "$token,admin,1,\"system:masters\"" >"$dir/tokens.csv"
  start etcd "$1/etcd" --data-dir "$dir/etcd" --unsafe-no-fsync
  start api-server "$1/kube-apiserver" --etcd-servers http://127.0.0.1:2379 --bind-address 127.0.0.1 --secure-port 6443 \
    --advertise-address "$2" --endpoint-reconciler-type none --cert-dir "$dir/certificates" --service-account-issuer https://local \
    --service-account-key-file "$dir/accounts.pem" --service-account-signing-key-file "$dir/accounts.pem" \
    --service-cluster-ip-range 10.96.0.0/16 --token-auth-file "$dir/tokens.csv" --authorization-mode AlwaysAllow \
    --disable-admission-plugins "$3"
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
}
