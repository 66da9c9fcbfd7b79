#!/bin/sh
# Adapter of the conformance suite in shell: one JSON object per line comes in, one goes out with the same seq. It drives the proxy
# of examples/tiny-proxy, which takes resources as they are. Messages are taken apart with sed, which is enough because the suite
# writes them on one line, `seq` and `cmd` first, `resources` last; a real adapter would rather use a JSON parser.
proxy=
trap '[ -z "$proxy" ] || kill "$proxy"' EXIT # when the suite goes away, so does the proxy

field() { printf '%s' "${line%%\"resources\"*}" | sed -n "s/^.*\"$1\":\"\{0,1\}\([A-Za-z0-9-]*\).*\$/\1/p"; }
put() { curl --silent --max-time 10 --request PUT --data-binary @- --write-out '\n%{http_code}' "http://127.0.0.1:$admin/config"; }

start() { # on the ports of the message; the suite itself waits until routes answer, here it is enough that somebody listens
  data=$(field data) admin=$(field admin)
  python3 -B ../tiny-proxy/proxy.py "$data" "$admin" </dev/null >&2 &
  proxy=$!
  reply="\"ok\":true,\"data\":$data,\"admin\":$admin"
  for _ in 1 2 3 4 5 6 7 8 9 10; do echo '[]' | put >&2 && return || sleep 0.3; done
  reply='"error":{"message":"the proxy does not answer"}'
}
apply() { # everything that shall exist from now on; the proxy says 204, or 422 with the reasons as a list
  answer=$(printf '%s' "$line" | sed 's/^.*"resources":\(.*\)}$/\1/' | put)
  case $answer in
  *204) reply='"ok":true' ;;
  *422) reply="\"rejected\":${answer%?422}" ;;
  *) reply='"error":{"message":"the proxy is gone"}' ;;
  esac
}

while IFS= read -r line; do
  case $(field cmd) in
  hello) reply='"protocol":1,"implementation":{"name":"tiny-proxy","version":"1.0.0","language":"python"}' ;;
  start) start ;;
  apply) apply ;;
  stop) reply='"ok":true' ;;
  *) reply='"unsupported":"nothing else is offered"' ;; # operations too: nobody can say yes to a question it does not know
  esac
  printf '{"seq":%s,%s}\n' "$(field seq)" "$reply"
done
